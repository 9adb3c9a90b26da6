#!/bin/sh
# SPDX-License-Identifier: MIT
# jitdump_grows.sh - `sonde top` names code that a process makes after its jitdump was read
. "$SONDE_SOURCE/tests/lib.sh"
writer=$SONDE_BUILD/tests/jit_writer
cd "$tmp"
"$SONDE" record -q -e cpu-clock:u -o none.data true 2>/dev/null || skip "cannot record here"
run "$writer" "$tmp"
[ "$status" -ne 77 ] || skip "jit_writer makes no code for this processor"
"$writer" "$tmp" grow &
pid=$!
top=
at_end() {
	kill $pid $top 2>/dev/null || :
}
shows() {
	grep -q "$1" table
}
dump=$tmp/jit-$pid.dump
has_dump() {
	[ -s "$dump" ] && grep -q jit_moved "$dump"
}
wait_until has_dump

"$SONDE" top --stdio -e cpu-clock:u -p $pid -d 0.2 >table 2>messages &
top=$!
wait_until shows jit_moved || fail "the function before: $(tail -20 table messages)"
! shows jit_late || fail "a function that does not exist: $(cat table)"
kill -USR1 $pid
wait_until shows jit_late || fail "the function that came later: $(tail -20 table messages)"
kill -INT $top
status=0
wait $top || status=$?
top=
want_status 0
