#!/bin/sh
# SPDX-License-Identifier: MIT
# ftrace_left_files.sh - `sonde repair X.dat` where a killed recorder has left only X.dat.cpuN
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"

# ---- of another boot: the events are there, nobody knows what they mean ----
if [ -d "$SONDE_CORPUS" ]; then
	for cpu in 0 1; do
		cp "$SONDE_CORPUS/recorded/tc3.1-t7_killed.dat.cpu$cpu" "old.dat.cpu$cpu"
		touch -d 2001-01-01 "old.dat.cpu$cpu"
	done
	run "$SONDE" repair old.dat out.dat
	want_status 0
	want_err '^sonde: old.dat: 460 records recovered$'  # as many as trace-cmd finds in tc3.1-t7_restored.dat
	want_err 'only the pages are left: its events have no formats'
	run "$SONDE" check out.dat
	want_status 0
	run "$SONDE" info --json --count out.dat
	want_out '"unknown_events":460'
	run "$SONDE" repair out.dat again.dat
	want_status 0
	cmp out.dat again.dat || fail "it is repaired once more"
else
	echo "there is no corpus at $SONDE_CORPUS: files of another boot are not tested"
fi
run "$SONDE" repair nothing.dat x.dat
want_status 1
want_err 'nothing.dat: cannot open: No such file or directory'
[ ! -e x.dat ] || fail "something was made of nothing"

# ---- of this boot: as trace-cmd restores them ----
tracefs=/sys/kernel/tracing
[ -d "$tracefs/instances" ] && [ -w "$tracefs/instances" ] || exit 0
instance=$tracefs/instances/sonde.left.$$
at_end() {
	rmdir "$instance" 2>/dev/null || :
}
mkdir "$instance"
echo 1 >"$instance/events/raw_syscalls/enable"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	ls / >/dev/null
done
echo 0 >"$instance/tracing_on"
files=
mkdir left
for cpu in "$instance"/per_cpu/cpu*; do
	cpu=${cpu##*/}
	dd if="$instance/per_cpu/$cpu/trace_pipe_raw" of="left/X.dat.$cpu" bs=4096 iflag=nonblock 2>/dev/null || :
	files="$files left/X.dat.$cpu"
done
run "$SONDE" repair left/X.dat out.dat
want_status 0
want_err 'only the pages are left: formats, symbols, clock and names of tasks are the running kernel'
[ ! -e left/X.dat ] || fail "the input was made"
run "$SONDE" check out.dat
want_status 0
run "$SONDE" script out.dat
want_status 0
want_out 'sys_enter: *NR [0-9]+ \('
command -v trace-cmd >/dev/null 2>&1 || skip "there is no trace-cmd to compare with"
# shellcheck disable=SC2086
trace-cmd restore -o restored.dat $files >restore.out 2>&1 || fail "trace-cmd restore: $(cat restore.out)"
trace-cmd report restored.dat >theirs 2>/dev/null
trace-cmd report out.dat >ours 2>/dev/null
[ "$(wc -l <ours)" -gt 100 ] || fail "only $(wc -l <ours) lines"
# names of tasks are those that the kernel knew at that moment
sed 's/^ *.*-\([0-9][0-9]*  *\[\)/\1/' theirs >theirs.txt
sed 's/^ *.*-\([0-9][0-9]*  *\[\)/\1/' ours >ours.txt
cmp theirs.txt ours.txt || fail "not what trace-cmd restores: $(diff theirs.txt ours.txt | head -6)"
