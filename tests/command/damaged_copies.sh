#!/bin/sh
# SPDX-License-Identifier: MIT
# damaged_copies.sh PROGRAM: copies of damaged recordings have the samples that the reader delivers of them
. "$SONDE_SOURCE/tests/lib.sh"
need_command xz

mkdir "$tmp/copies" "$tmp/recordings"
for packed in "$SONDE_SOURCE"/tests/data/*.data.xz; do
	xz -dc "$packed" >"$tmp/recordings/$(basename "$packed" .xz)"
done
run "$1" 8 "$tmp/copies" "$tmp/recordings"/*.data
want_status 0
want_out "^$(($(ls "$tmp/recordings" | wc -l) * 280)) copies, 0 failed\$"

need_corpus
find "$SONDE_CORPUS/perf" "$SONDE_CORPUS/recorded" -type f -size -200k | sort >"$tmp/files"
while read -r file; do
	case $(head -c 8 "$file" | tr -d '\000') in
	PERFILE2 | 2ELIFREP | PERFFILE) echo "$file" ;;
	esac
done <"$tmp/files" >"$tmp/recordings.list"
[ -s "$tmp/recordings.list" ] || fail "the corpus has no recordings"
# shellcheck disable=SC2046  # names without spaces
run "$1" 0 "$tmp/copies" $(cat "$tmp/recordings.list")
want_status 0
