#!/bin/sh
# SPDX-License-Identifier: MIT
# perf_map.sh - code in memory of its own is named by perf-PID.map, if that is not the map of an earlier process
. "$SONDE_SOURCE/tests/lib.sh"
writer=$SONDE_BUILD/tests/jit_writer
cd "$tmp"
"$SONDE" record -q -e cpu-clock:u -o none.data true 2>/dev/null || skip "cannot record here"
mkdir -p root/tmp
run "$SONDE" record -q -k mono -F 2000 -e cpu-clock:u -o map.data "$writer" root/tmp map
[ "$status" -ne 77 ] || skip "jit_writer makes no code for this processor"
want_status 0
map=$(cat out)
run "$SONDE" report --stdio -i map.data --symfs root
want_status 0
grep -q 'memfd:doublemapper (deleted) *\[\.\] a function in a memfd' out || fail "no name: $(cat out)"
if grep -q 'older than' err; then fail "a warning for nothing: $(cat err)"; fi

touch -d '2001-01-01 UTC' "$map"
run "$SONDE" report --stdio -i map.data --symfs root
want_status 0
grep -q 'a function in a memfd' out || fail "no name of an old map: $(cat out)"
grep -q "^sonde: Warning: root/tmp/perf-[0-9]*.map: is older than process [0-9]* by [0-9]* s, so its names" err ||
	fail "nothing says that the map is old: $(cat err)"
