#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh - recordings of this very kernel, read by perf where it is installed
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
newest=$SONDE_SOURCE/../shared/tools/newest-perf
cd "$tmp"

run "$SONDE" record -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"

# the build with a sanitizer writes the same files, and perf takes most of the time
readers=
if [ "$SONDE_SANITIZE" = none ]; then
	! command -v perf >/dev/null 2>&1 || readers=perf
	! { [ -x "$newest" ] && "$newest" --version >/dev/null 2>&1; } || readers="$readers $newest"
	[ -n "$readers" ] || skip_part "there is no perf: only sonde reads the recordings back"
fi

# the last two lines are perf's, by the name that the program is called by; the end of the command is a wake-up
ln -s "$SONDE" perf
for program in "$SONDE" ./perf; do
	run "$program" record -e cpu-clock:u -o probe.data "$workload" 0.1
	want_status 0
	name=${program##*/}
	want_err "^\\[ $name record: Woken up (1 time|([2-9][0-9]*|1[0-9]+) times) to write data \\]$"
	want_err "^\\[ $name record: Captured and wrote [0-9]+\\.[0-9]{3} MB probe\\.data \\([0-9]+ samples\\) \\]$"
	run "$program" record -q -e cpu-clock:u -o probe.data true
	want_status 0
	! grep -E 'Woken|Captured' err || failed_run "-q says what was recorded"
done

# accepted FILE [SAMPLES]: every perf reads it without a word, and finds as many samples as sonde says it wrote
accepted() {
	samples=$(sed -n 's/.*(\([0-9]*\) samples) \]$/\1/p' "$tmp/err")
	lost=
	! grep -q ' lost: ' "$tmp/err" || lost=yes
	[ -n "$samples" ] || failed_run "no summary"
	[ "${2:-some}" != some ] || [ "$samples" -gt 0 ] || failed_run "no samples"
	for perf in $readers; do
		for command in "report --stdio" "script" "evlist -v" "report --header-only"; do
			# shellcheck disable=SC2086
			"$perf" $command -i "$1" >"$tmp/perf.out" 2>"$tmp/perf.err" </dev/null ||
				fail "$perf $command -i $1 ($ran)"
			# a recorder that has to wait for a CPU may lose events: it says so, and perf too
			[ -z "$lost" ] ||
				sed -i -e '/^Warning:$/d' -e '/ lost [0-9]* chunks!$/d' \
					-e '/^Check IO\/CPU overload!$/d' -e '/^$/d' "$tmp/perf.err"
			[ ! -s "$tmp/perf.err" ] || fail "$perf $command -i $1 ($ran): $(head -3 "$tmp/perf.err")"
		done
		found=$("$perf" report --stats -i "$1" 2>/dev/null </dev/null |
			sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' | head -1)
		[ "${found:-0}" -eq "$samples" ] ||
			fail "$perf finds ${found:-no} samples in $1, expected $samples ($ran)"
	done
	clean "$1"
	run "$SONDE" info --count "$1"
	want_status 0
}

# clean FILE: no rule of the format is broken
clean() {
	run "$SONDE" check "$1"
	want_status 0
	want_out ' records, 0 errors, 0 warnings, 0 notes$'
}

# record NAME OPTION...: records the workload for a moment
record() {
	name=$1
	shift
	run "$SONDE" record -o "$name.data" "$@" -- "$workload" 0.1
	want_status 0
	accepted "$name.data"
}

# ---- as anybody may ----
record clock -e cpu-clock:u
record several -e cpu-clock:u,task-clock:u,page-faults:u
record chains -g -e cpu-clock:u
record stacks --call-graph dwarf,4096 -e cpu-clock:u
record group -e '{cpu-clock:u,page-faults:u}:S'
record period -c 1000000 -e task-clock:u
record clockid -k mono -T -d -e cpu-clock:u
record threads --per-thread -e cpu-clock:u
record switches --switch-events --sample-cpu -e cpu-clock:u
record registers --user-regs -e cpu-clock:u
record small -m 1 -F 2000 -e cpu-clock:u

# the default event: whatever this machine has
run "$SONDE" record -o default.data -- "$workload" 0.1
want_status 0
accepted default.data
if "$SONDE" info default.data | grep -q 'source  *: cpu-clock'; then
	run "$SONDE" record -o default.data -- true
	why='this machine has no hardware counter for cycles.*, as is normal in a virtual machine'
	want_err "^sonde: $why: sampling cpu-clock .* instead\$"
fi

# a stream, and what the command prints does not get into it
"$SONDE" record -q -e cpu-clock:u -o - -- "$workload" 0.1 2>"$tmp/err" >stream.data
for perf in $readers; do
	"$perf" script -i - <stream.data >"$tmp/perf.out" 2>"$tmp/perf.err" || fail "$perf script of a stream"
	[ -s "$tmp/perf.out" ] || fail "$perf script of a stream is empty"
done
run "$SONDE" info --count stream.data
want_status 0

# running tasks; the recording ends with them
"$workload" 1 >/dev/null &
pid=$!
run "$SONDE" record -e cpu-clock:u -p $pid -o pid.data
want_status 0
wait $pid
accepted pid.data

# files: the old one is kept, links are not followed, nobody else may read
run "$SONDE" record -q -e cpu-clock:u -o clock.data true
want_status 0
without_load
want_no_err
[ -s clock.data.old ] || fail "the old recording was not kept"
[ "$(stat -c %a clock.data)" = 600 ] || fail "mode $(stat -c %a clock.data), expected 600"
ln -s nowhere link.data
run "$SONDE" record -e cpu-clock:u -o link.data true
want_status 1
want_err 'link.data is a symbolic link'
[ ! -e nowhere ] || fail "written through a link"
run "$SONDE" record -e cpu-clock:u -o "$tmp" true
want_status 1
want_err 'is a directory'
run "$SONDE" record -e cpu-clock:u -o no/where true
want_status 1
want_err 'cannot create no/where: No such file or directory'

# the exit status is the command's
run "$SONDE" record -q -e cpu-clock:u -o s.data sh -c 'exit 42'
want_status 42
run "$SONDE" record -q -e cpu-clock:u -o s.data sh -c 'kill -TERM $$'
want_status 143
run "$SONDE" record -e cpu-clock:u -o s.data ./no-such-program
want_status 1
want_err "there is no program './no-such-program'"

# a signal ends it with a finished file
"$SONDE" record -q -e cpu-clock:u -o sig.data -- "$workload" 60 >/dev/null 2>"$tmp/err" &
pid=$!
wait_until test -s sig.data
kill -TERM $pid
status=0
wait $pid || status=$?
[ "$status" -eq 143 ] || fail "exit status $status after SIGTERM, expected 143"
run "$SONDE" info --count sig.data
want_status 0

# killed at any moment, it leaves a file
for delay in 0 0.2 0.6 1.1; do
	rm -f kill.data
	setsid "$SONDE" record -q -e cpu-clock:u -F 5000 -o kill.data -- "$workload" 60 >/dev/null 2>&1 &
	pid=$!
	wait_until test -s kill.data
	sleep $delay
	kill -KILL -$pid
	wait $pid 2>/dev/null || :
	for perf in $readers; do
		"$perf" script -i kill.data >/dev/null 2>"$tmp/perf.err" ||
			fail "$perf reads no killed recording: $(cat "$tmp/perf.err")"
	done
	run "$SONDE" info --count kill.data
	want_status 1
	want_out '^# losses .* was never finished'
done

# a wrong command line: status 2, and where the mistake is
wrong() {
	want=$1
	shift
	run "$SONDE" record "$@"
	want_status 2
	want_err "$want"
}
wrong "column 1: no such event; did you mean 'cycles'\\?" -e cycels true
wrong "column 11: unknown term 'zzz'" -e 'cpu-clock/zzz=1/' true
wrong "neither a frequency" -F fast true
wrong "exclude each other" -F 100 -c 100 true
wrong "is not a size" --max-size big true
wrong "filter follows the tracepoints" -e cs --filter 'a == 1' true
run "$SONDE" record -e cpu-clock:u -p 99999999 -o s.data
want_status 1
want_err 'there is no process 99999999'
run "$SONDE" record -e cpu-clock -C 9999 -o s.data true
want_status 1
want_err 'CPU 9999 is not online'

# ---- as root ----
if [ "$(id -u)" -ne 0 ]; then
	echo "not root: system-wide recordings and tracepoints are not tested"
	exit 0
fi
run "$SONDE" record -a -e cpu-clock -o all.data -- "$workload" 0.1
want_status 0
accepted all.data
run "$SONDE" record -a -F 20000 -e cpu-clock --max-size 100K -o max.data
want_status 0
want_err 'has reached --max-size'
accepted max.data any  # what describes the tasks of a busy machine can be that large by itself
run "$SONDE" record -o mem.data -e mem:0x1000/8:w:u true
if [ "$status" -eq 0 ]; then
	run "$SONDE" info mem.data
	want_status 0
	want_out 'mem:0x1000/8:w:u'
else
	want_err 'no such breakpoint|no hardware register'
fi
if [ ! -r /sys/kernel/tracing/events ] && [ ! -r /sys/kernel/debug/tracing/events ]; then
	echo "no tracefs: tracepoints are not tested"
	exit 0
fi
record points -e 'sched:sched_switch,raw_syscalls:*'

# every event of the scheduler on all CPUs, the recorder's own included: none is older than a mark of a round allows
before=$(date +%s)
run "$SONDE" record -q -a -e 'sched:*' -o rounds.data -- "$workload" 1
want_status 0
seconds=$(($(date +%s) - before + 1))
clean rounds.data
marks=$("$SONDE" dump rounds.data | grep -c FINISHED_ROUND || :)
[ "$marks" -gt 2 ] || fail "$marks round marks in $seconds seconds"
[ "$marks" -lt $((25 * seconds)) ] || fail "$marks round marks in $seconds seconds: the recorder keeps itself awake"
"$SONDE" record -q -a -e 'raw_syscalls:sys_enter' -o self.data -- sleep 0.3 2>"$tmp/err" &
pid=$!
wait $pid || fail "system calls of all CPUs: $(cat "$tmp/err")"
for perf in $readers; do
	"$perf" script -F pid -i self.data >"$tmp/pids" 2>/dev/null </dev/null || fail "$perf script -i self.data"
	[ -s "$tmp/pids" ] || fail "no system calls in self.data"
	! grep -E -q "^ *$pid *$" "$tmp/pids" || fail "the recorder has recorded its own system calls"
done
run "$SONDE" record -a -e sched:sched_switch --filter 'prev_pid != 0' -o filter.data -- "$workload" 0.1
want_status 0
accepted filter.data
wrong "no tracepoint sched:nothing" -e sched:nothing true
run "$SONDE" record -e sched:sched_switch --filter 'nofield == 1' -o s.data true
want_status 1
want_err 'the kernel does not take the filter'
