#!/bin/sh
# SPDX-License-Identifier: MIT
# ftrace_others.sh - whoever else is tracing finds their settings as they left them: the main buffer, an instance, their
# probes
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

tracefs=/sys/kernel/tracing
[ -w "$tracefs/instances" ] || skip "there is no tracefs at $tracefs that may be written to"
other=sonde.other.$$
dir=$tracefs/instances/$other
probe=sonde_other_$$
task=
at_end() {
	[ -z "$task" ] || kill "$task" || :
	rmdir "$dir" 2>/dev/null || :
	# a recorder of all events that runs beside has it switched on: the kernel keeps the probe until that has ended
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		grep -q -s "$probe/main" "$tracefs/uprobe_events" || break
		echo "-:$probe/main" 2>/dev/null >>"$tracefs/uprobe_events" || sleep 1
	done
}

# settings DIR: every setting of a buffer, with the name of its file
settings() {
	for file in tracing_on trace_clock buffer_size_kb buffer_subbuf_size_kb buffer_percent tracing_cpumask \
		current_tracer set_event \
		set_event_pid set_event_notrace_pid set_ftrace_pid set_ftrace_notrace_pid set_ftrace_filter \
		set_ftrace_notrace \
		tracing_thresh uprobe_events dynamic_events trace_options per_cpu/cpu0/buffer_size_kb; do
		[ ! -f "$1/$file" ] || sed "s|^|$file: |" "$1/$file" 2>/dev/null || :
	done
	grep -r . "$1/options" 2>/dev/null | sed "s|^$1/||" | sort
	grep -r . --include=enable --include=filter --include=trigger "$1/events/sched" "$1/events/task" \
		"$1/events/raw_syscalls" \
		"$1/events/$probe" 2>/dev/null | grep -v '# Available triggers\|:# ' |
		sed "s|^$1/||" | sort
}

all_settings() {
	settings "$tracefs"
	settings "$dir" | sed 's/^/other: /'
}

# undisturbed WHAT COMMAND...: no setting differs after it. Somebody may really have changed one meanwhile: asked three
# times
undisturbed() {
	what=$1
	shift
	for _ in 1 2 3; do
		all_settings >before
		"$@"
		all_settings >after
		! cmp -s before after || return 0
	done
	fail "$what changes settings of others: $(diff before after | head -20)"
}

mkdir "$dir"
if ! echo "p:$probe/main $workload:0x1000" >>"$tracefs/uprobe_events"; then
	echo "no probe can be set here"
	probe=none
fi
# somebody's settings, each of another kind
echo mono >"$dir/trace_clock"
echo 512 >"$dir/buffer_size_kb"
echo 1 >"$dir/tracing_cpumask"
echo 0 >"$dir/options/overwrite"
echo 1 >"$dir/options/event-fork"
echo 'prev_pid == 77' >"$dir/events/sched/sched_switch/filter"
echo 1 >"$dir/events/sched/sched_switch/enable"
echo 1 >"$dir/events/sched/sched_process_exit/enable"
echo 'stacktrace if pid == 78' >"$dir/events/sched/sched_waking/trigger"
sleep 1000 &
task=$!
echo "$task" >"$dir/set_event_pid"
[ "$probe" = none ] || echo 1 >"$dir/events/$probe/main/enable"

# ---- in an instance of one's own ----
own() {
	run "$SONDE" record --ftrace -a -e all --clock global --buffer-size 1024 -O stacktrace -o own.dat -- \
		"$workload" 0.1
	want_status 0
}
undisturbed "a recording" own

# ---- killed, and the next start ----
killed() {
	setsid "$SONDE" record --ftrace -q -a -e sched -e raw_syscalls -o killed.dat -- sleep 300 &
	pid=$!
	wait_until test -s killed.dat
	kill -9 "-$pid"
	wait "$pid" || :
	run "$SONDE" record --ftrace -e sched_switch -o next.dat true
	want_status 0
	[ -z "$(find "$tracefs/instances" -maxdepth 1 -name "sonde-$pid-*")" ] ||
		fail "the instance of the killed recorder is left"
}
undisturbed "a killed recording" killed

# ---- in theirs, because that was asked for: everything that is changed is changed back ----
theirs() {
	run "$SONDE" record --ftrace --instance "$other" -e 'sched:*' -f 'common_pid != 79' -e task_newtask --trigger \
		'stacktrace if common_pid == 80' \
		-e raw_syscalls --clock boot --buffer-size 2048 -O overwrite -O noevent-fork -O stacktrace -o \
		theirs.dat -- "$workload" 0.1
	want_status 0
	run "$SONDE" record --ftrace --instance "$other" -C 0 -e sched_waking -p "$task" --duration 0.1 -o pids.dat
	want_status 0
}
undisturbed "a recording in their instance" theirs
run "$SONDE" info theirs.dat
want_out "^# buffer .*$other"

# ---- what is refused half way is taken back too ----
refused() {
	run "$SONDE" record --ftrace --instance "$other" --clock boot -e sched_switch -e sched_waking -f \
		'nofield == 1' -o x.dat true
	want_status 1
}
undisturbed "a refused recording" refused

# ---- what they have switched on is in their buffer, and can be read ----
echo 0 >"$dir/events/sched/sched_switch/filter"
echo "$(($(nproc) > 31 ? 0xffffffff : (1 << $(nproc)) - 1))" | awk '{ printf "%x\n", $1 }' >"$dir/tracing_cpumask"
run "$SONDE" record --ftrace --instance "$other" -e sched_wakeup -o theirs.dat -- sh -c '/bin/true; /bin/true'
want_status 0
"$SONDE" info --count theirs.dat >count
grep -q 'sched_process_exit' count || fail "an event that they have switched on is not known: $(cat count)"

# ---- nor does it disturb them that what is there is extracted ----
extracted() {
	run "$SONDE" extract -B "$other" -o extracted.dat
	want_status 0
}
undisturbed "an extraction" extracted
