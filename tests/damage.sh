# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154  # tmp is of lib.sh
# damage.sh - sourced after lib.sh by what repairs damaged recordings of the corpus
need_corpus
recorded=$SONDE_CORPUS/recorded

# records FILE: how many records or events, after a check that finds no error
records() {
	run "$SONDE" check --json "$1"
	want_out '"errors":0,'
	sed 's/.*"records":\([0-9]*\),.*/\1/' "$tmp/out"
}

# damage NAME OFFSET BYTES: $tmp/damaged, a copy with other bytes at one place
damage() {
	cp "$recorded/$1" "$tmp/damaged"
	chmod u+w "$tmp/damaged"
	# shellcheck disable=SC2059  # octal escapes
	printf "$3" | dd of="$tmp/damaged" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
