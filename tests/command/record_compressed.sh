#!/bin/sh
# SPDX-License-Identifier: MIT
# record_compressed.sh - `sonde record -z`: the same recording in fewer bytes, as safe when the recorder is killed
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

run "$SONDE" record -q -e cpu-clock -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat err)"

# samples FILE
samples() {
	"$SONDE" info --count "$1" 2>/dev/null | sed -n 's/^# samples  *: cpu-clock \([0-9]*\)$/\1/p'
}

for level in -z -z19; do
	run "$SONDE" record -g "$level" -e cpu-clock -o z.data "$workload" 0.2
	want_status 0
	said=$(sed -n 's/.*(\([0-9]*\) samples) \]$/\1/p' err)
	[ "$(samples z.data)" = "$said" ] || fail "$(samples z.data) samples, $said were counted"
	run "$SONDE" info z.data
	want_out "^# compressed : Zstd, level = $([ $level = -z ] && echo 1 || echo 19), ratio = [1-9]"
	run "$SONDE" check z.data
	want_out ', 0 errors, 0 warnings, 0 notes$'
	"$SONDE" convert --no-compress z.data plain.data
	[ "$(wc -c <z.data)" -lt "$(wc -c <plain.data)" ] || fail "it is not smaller"
	"$SONDE" script z.data >packed.txt
	"$SONDE" script plain.data | cmp - packed.txt || fail "another text than that of the same records"
done

"$SONDE" record -q -z -e cpu-clock -o - "$workload" 0.1 >stream.data
run "$SONDE" script -i stream.data
want_status 0
want_out ' cpu-clock: '

# killed: what was flushed is there
setsid "$SONDE" record -q -a -z -e cpu-clock -o killed.data sleep 300 &
pid=$!
flushed() {
	[ -n "$(samples killed.data)" ]
}
wait_until flushed
kill -9 -$pid
wait $pid || :
[ "$(samples killed.data)" -gt 0 ] || fail "nothing is left of a killed recorder"
run "$SONDE" repair -q killed.data mended.data
want_status 0
[ "$(samples mended.data)" = "$(samples killed.data)" ] || fail "repair has lost samples"
run "$SONDE" check mended.data
want_out ', 0 errors, 0 warnings, 0 notes$'

# aligned: the records that perf writes since 6.16
run "$SONDE" record -g -z --aligned -e cpu-clock -o aligned.data "$workload" 0.2
want_status 0
said=$(sed -n 's/.*(\([0-9]*\) samples) \]$/\1/p' err)
run "$SONDE" report --stats aligned.data
want_out '^ *COMPRESSED2 events: +[1-9]'
if grep -q 'COMPRESSED events' out; then failed_run 'records of the older type'; fi
[ "$(samples aligned.data)" = "$said" ] || fail "$(samples aligned.data) samples, $said were counted"
run "$SONDE" check aligned.data
want_out ', 0 errors, 0 warnings, 0 notes$'
perf=${SONDE_NEWEST_PERF:-$SONDE_CORPUS/../tools/newest-perf}
if "$perf" version >out 2>&1; then
	"$perf" script -F pid,time,event -i aligned.data 2>err </dev/null >theirs.txt || fail "$perf: $(cat err)"
	[ "$(grep -c 'cpu-clock' theirs.txt)" = "$said" ] || fail "$perf reads $(grep -c cpu-clock theirs.txt) samples"
else
	skip_part 'there is no perf of 6.16 or later'
fi
run "$SONDE" record --aligned true
want_status 2
want_err '--aligned needs -z'

run "$SONDE" record -z23 true
want_status 2
want_err "-z: '23' is not a level from 1 to 22"
run "$SONDE" record --ftrace -z -e sched_switch true
want_status 2
want_err 'not for --ftrace'
