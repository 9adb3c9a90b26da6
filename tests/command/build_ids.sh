#!/bin/sh
# SPDX-License-Identifier: MIT
# build_ids.sh - `sonde convert --build-ids` against `perf inject -b`, readelf and `perf buildid-list`
. "$SONDE_SOURCE/tests/lib.sh"

need_command perf
need_command readelf
program=$(command -v sort)
program=$(readlink -f "$program")
id=$(readelf -n "$program" 2>/dev/null | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip "$program has no build id"
# perf lists only binaries that have samples, those of a stream at least
seq 100000 >"$tmp/lines"
perf record -q -e cpu-clock:u -N -B -o "$tmp/none.data" -- "$program" -R --parallel=1 "$tmp/lines" >/dev/null 2>&1 ||
	skip "perf cannot record here"
perf buildid-list -i "$tmp/none.data" | grep -q "^$id" && skip "perf recorded build ids all the same"

# in the header, as perf has them: all of perf's, which lists only what has samples
run "$SONDE" convert --build-ids "$tmp/none.data" "$tmp/new.data"
want_status 0
perf buildid-list -i "$tmp/new.data" >"$tmp/ids"
grep -q "^$id $program\$" "$tmp/ids" || fail "perf does not see the id of $program: $(cat "$tmp/ids")"
if perf inject -b -i "$tmp/none.data" -o "$tmp/perf.data" 2>/dev/null; then
	perf buildid-list -i "$tmp/perf.data" | grep -E '^[0-9a-f]{32,} ' >"$tmp/theirs" || :
	while read -r line; do
		grep -q -x -F -e "$line" "$tmp/ids" || fail "perf inject found also: $line"
	done <"$tmp/theirs"
fi
run "$SONDE" check "$tmp/new.data"
want_status 0
cp "$tmp/new.data" "$tmp/first.data"

# in the mappings
run "$SONDE" convert --build-ids=mmap2 "$tmp/none.data" "$tmp/new.data"
want_status 0
run "$SONDE" dump -i "$tmp/new.data"
want_out "^    build_id: $id"
"$SONDE" dump -i "$tmp/none.data" | grep -q "^    build_id: $id" && fail "the ids were there before"
run "$SONDE" check "$tmp/new.data"
want_status 0

# those of mappings become those of the header, also where the files are not: none of the recording machine's are here
run "$SONDE" convert --build-ids "$tmp/new.data" "$tmp/again.data"
want_status 0
perf buildid-list -i "$tmp/again.data" >"$tmp/ids"
grep -q "^$id $program\$" "$tmp/ids" || fail "ids of mappings are not taken over"

# a stream has them before the mappings; under other names when names are changed
run "$SONDE" convert --to pipe --build-ids --redact "$tmp/none.data" "$tmp/pipe.data"
want_status 0
perf buildid-list -i "$tmp/pipe.data" | grep -E -q '^[0-9a-f]{32,} /dso-[0-9]+$' || fail "perf sees no id in the stream"
# without --count a stream is read up to its first sample, which another CPU can have before the mapping
run "$SONDE" info --count --json -i "$tmp/pipe.data"
want_out "\"id\":\"$id\",\"filename\":\"/dso-[0-9]+\""

# what is known stays, and there is nothing new the second time
run "$SONDE" convert --build-ids "$tmp/first.data" "$tmp/again.data"
want_status 0
perf buildid-list -i "$tmp/first.data" | sort >"$tmp/ids"
perf buildid-list -i "$tmp/again.data" | sort | cmp -s - "$tmp/ids" || fail "the second time made a difference"
run "$SONDE" convert --build-ids=elsewhere "$tmp/first.data" "$tmp/again.data"
want_status 2
