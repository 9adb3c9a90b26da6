#!/bin/sh
# SPDX-License-Identifier: MIT
# record_cgroups.sh - events for the tasks of control groups, and the recorder's own records at the start of a file
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"
run "$SONDE" record -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"

# ---- the records that perf writes first, and the one that ends them ----
"$SONDE" dump probe.data | sed -n 's/^0x[0-9a-f]* .* \([A-Z_0-9]*\) misc .*/\1/p' >order
for name in ID_INDEX THREAD_MAP CPU_MAP FINISHED_INIT; do
	[ "$(grep -c -x "$name" order)" -eq 1 ] || fail "not one record $name: $(tr '\n' ' ' <order)"
done
sed '/FINISHED_INIT/q' order | grep -q SAMPLE && fail "a sample comes before FINISHED_INIT"
run "$SONDE" check probe.data
want_status 0
want_out ' records, 0 errors, 0 warnings, 0 notes$'
if command -v perf >/dev/null 2>&1; then
	perf script -i probe.data >perf.out 2>perf.err </dev/null || fail "perf script -i probe.data"
	[ ! -s perf.err ] || fail "perf says: $(head -3 perf.err)"
fi

# ---- wrong command lines ----
run "$SONDE" record -a -G some -o no.data true
want_status 2
want_err '-G: events come first \(-e\), then their control groups'
run "$SONDE" record -a -G some -e cpu-clock -o no.data true
want_status 2
run "$SONDE" record -a -e cpu-clock -G a,b -o no.data true
want_status 2
want_err '-G: there are more control groups than events before them'
for target in '-e cpu-clock -G a' '-e cpu-clock --for-each-cgroup a' "-e cpu-clock -p $$ -a -G a"; do
	# shellcheck disable=SC2086
	run "$SONDE" record $target -o no.data true
	want_status 2
	want_err '^sonde record: (-G|--for-each-cgroup): control groups are recorded on whole CPUs: use -a$'
done
[ ! -e no.data ] || fail "a file although nothing was recorded"
run "$SONDE" record -a -e cpu-clock --for-each-cgroup a,,b -o no.data true
want_status 2
want_err '--for-each-cgroup: a control group has no name'
run "$SONDE" record -a -e cpu-clock -G a --for-each-cgroup b -o no.data true
want_status 2

# ---- as root ----
[ "$(id -u)" -eq 0 ] || skip_part "not root: no control group can be made"
[ "$(id -u)" -eq 0 ] || exit 0
for option in -G --for-each-cgroup; do
	run "$SONDE" record -a -e cpu-clock $option nothing-of-this-name -o no.data true
	want_status 2
	want_err "$option: (there is no control group|no cgroup file system is mounted).* 'nothing-of-this-name'"
done
root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/mounts)
[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
name=sonde-test-$$
if [ -z "$root" ] || ! mkdir "$root/$name" 2>/dev/null; then
	skip_part "no control group can be made"
	exit 0
fi
# the group is empty again when its task has ended
leave() {
	wait
	rmdir "$root/$name" || :
	finish
}
trap leave EXIT
sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" 1' sh "$root/$name" "$workload" &
inside() {
	grep -q . "$root/$name/cgroup.procs"
}
wait_until inside
run "$SONDE" record -q -a -e cpu-clock,task-clock -G "$name" -o group.data -- sleep 0.3
want_status 0
run "$SONDE" check group.data
want_status 0
run "$SONDE" script -F comm group.data
want_status 0
others=$(tr -d ' ' <out | sort -u | grep -v -x -e workload -e sh || :)
[ -z "$others" ] || fail "tasks outside the control group: $others"
run "$SONDE" record -q -a -e cpu-clock --for-each-cgroup "$name,/" -o each.data -- sleep 0.1
want_status 0
run "$SONDE" evlist each.data
[ "$(grep -c -x cpu-clock out)" -eq 2 ] || failed_run "not one event for each control group"
