#!/bin/sh
# SPDX-License-Identifier: MIT
# record_control.sh - recordings that are turned on and off, switched to other files, and written from rings that keep
# the newest records; perf reads each file where it is installed
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
newest=$SONDE_SOURCE/../shared/tools/newest-perf
cd "$tmp"
run "$SONDE" record -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"
readers=
for p in perf "$newest"; do
	if "$p" --version >/dev/null 2>&1; then
		readers="$readers $p"
	fi
done
[ -n "$readers" ] || skip_part "there is no perf: only sonde reads the recordings back"

# sound FILE: no rule of the format is broken, and every perf reads the file
sound() {
	run "$SONDE" check "$1"
	want_status 0
	want_out ' records, 0 errors, 0 warnings, 0 notes$'
	for perf in $readers; do
		"$perf" script -i "$1" >"$tmp/perf.out" 2>"$tmp/perf.err" </dev/null || fail "$perf script -i $1"
	done
}

samples() {
	"$SONDE" info --count "$1" 2>/dev/null | awk '/^# samples  / { sum += $NF } END { print sum + 0 }'
}

# start OPTION...: records the workload until it is told to end; the process is $pid
start() {
	: >err   # what the last recorder said is no answer of this one
	"$SONDE" record -e cpu-clock:u "$@" -- "$workload" 60 >out 2>err &
	pid=$!
}

ended() {
	status=0
	wait $pid || status=$?
	ran="the recording"
	want_status "$1"
}

# ---- windows of time ----
run "$SONDE" record -q -e cpu-clock:u -D 20-40,60-80 -o windows.data -- "$workload" 0.1
want_status 0
sound windows.data
run "$SONDE" record -q -e cpu-clock:u -D 100000 -o late.data -- "$workload" 0.05
want_status 0
[ "$(samples late.data)" -eq 0 ] || fail "samples before the end of the delay"
for times in 20-10 10-20,15-30 10- "10-20," -2 fast 1-2x; do
	run "$SONDE" record -D "$times" -e cpu-clock:u -o no.data true
	case $times in 10-20,) want_status 0 ;; *) want_status 2; want_err '^sonde record: -D: ' ;; esac
done

# ---- control by fifos: nothing before enable, nothing after disable ----
mkfifo ctl ack
exec 7<>ctl 8<>ack
# told COMMAND: the recorder has obeyed it
told() {
	echo "$1" >&7
	answer=$(timeout 60 head -c 5 <&8 | tr -d '\0') || fail "no answer to $1"
	[ "$answer" = ack ] || fail "the answer to $1 is '$answer'"
}
start -D -1 --control fifo:ctl,ack -o control.data
told ping
# unknown commands get no answer: the next one is for the next command
echo nonsense >&7
echo "enable nothing" >&7
told "evlist -F"
grep -q '^cpu-clock:u: sample_freq=4000$' out || fail "evlist -F: $(cat out)"
told evlist
grep -qx 'cpu-clock:u' out || fail "evlist: $(cat out)"
grep -q 'no event nothing' err || fail "an event that is not there: $(cat err)"
told disable
[ -s control.data ] || fail "no file while the recording runs"
told "enable cpu-clock:u"
flushed() {
	[ "$(samples control.data)" -gt 0 ]
}
wait_until flushed
told disable
told stop
ended 143
sound control.data

# the same by descriptors
mkfifo pipe
exec 9<>pipe
start -D -1 --control fd:9 -o fd.data
echo stop >pipe
ended 143
sound fd.data
[ "$(samples fd.data)" -eq 0 ] || fail "samples although nothing was enabled"
exec 9>&-
for where in fd:x fd:99 file:a fifo: fifo:nowhere/x "fd:1,"; do
	run "$SONDE" record --control "$where" -e cpu-clock:u -o no.data true
	want_status 2
done

# ---- other files: by signal and by size ----
finished() {
	[ "$(find . -name "$1.2*" | wc -l)" -ge "$2" ]
}
start --switch-output -o switched.data
wait_until test -s switched.data
kill -USR2 $pid
wait_until finished switched.data 1
kill -TERM $pid
ended 143
grep -q 'record: Dump switched.data.2' err || fail "the names of the files are not told: $(cat err)"
[ ! -e switched.data ] || fail "a file without the time in its name is left"
finished switched.data 2 || fail "there is no second file"
for file in switched.data.2*; do
	sound "$file"
	# each file stands alone: it names the task and its mappings
	"$SONDE" dump "$file" | grep -q 'MMAP2' || fail "$file describes no mappings"
done

dumped() {
	[ "$(grep -c 'Dump' err)" -ge "$1" ]
}

# a file after each 4 kB, then after each second; the newest two stay
for every in 4K 1s; do
	start --switch-output=$every --switch-max-files 2 -o few.data
	wait_until dumped 3
	kill -TERM $pid
	ended 143
	[ "$(find . -name 'few.data.2*' | wc -l)" -eq 2 ] || fail "not two files: $(ls few.data*)"
	for file in few.data.2*; do
		sound "$file"
	done
	rm few.data*
done

# by an event, which happens once: the shell forks for the word
if "$SONDE" record -q -e sched:sched_process_fork -o fork.data true 2>fork.err; then
	mkfifo words
	sh -c 'while read -r word; do "$word"; done <words' &
	forks=$!
	exec 6>words
	"$SONDE" record -e cpu-clock:u --switch-output-event sched:sched_process_fork -p $forks -o event.data \
		>out 2>err &
	pid=$!
	wait_until test -s event.data
	! finished event.data 1 || fail "another file before the event"
	echo /bin/true >&6
	wait_until finished event.data 1
	kill -TERM $pid
	ended 143
	exec 6>&-
	wait $forks
	[ "$(find . -name 'event.data.2*' | wc -l)" -eq 2 ] || fail "not two files: $(ls event.data*)"
	for file in event.data.2*; do
		sound "$file"
		! "$SONDE" evlist "$file" | grep -q fork || fail "the event is recorded in $file"
	done
else
	skip_part "no tracepoint can be recorded"
fi
run "$SONDE" record --switch-output-event cpu-clock -e cpu-clock:u -o no.data true
want_status 2
want_err 'cpu-clock cannot switch the output: a tracepoint can, and an event with a period'
run "$SONDE" record --switch-output-event nothing-like-this -e cpu-clock:u -o no.data true
want_status 2
run "$SONDE" record --switch-output-event faults/period=1/ -o - -e cpu-clock:u true
want_status 2
run "$SONDE" record --switch-output=fast -e cpu-clock:u true
want_status 2
run "$SONDE" record --switch-max-files 2 -e cpu-clock:u true
want_status 2
run "$SONDE" record --switch-output -o - -e cpu-clock:u true
want_status 2

# ---- rings that keep the newest records ----
run "$SONDE" record -q -e cpu-clock:u -F 10000 -m 4 --overwrite -o newest.data -- "$workload" 0.4
want_status 0
sound newest.data
found=$(samples newest.data)
[ "$found" -gt 0 ] || fail "no samples in newest.data"
cpus=$(getconf _NPROCESSORS_ONLN)
[ "$found" -le $((cpus * 4 * 4096 / 40)) ] || fail "$found samples are more than the rings hold"

start --snapshot -o snapshot.data
wait_until test -s snapshot.data
taken() {
	kill -USR2 $pid
	[ "$(samples snapshot.data)" -gt 0 ]
}
wait_until taken
kill -TERM $pid
ended 143
sound snapshot.data

# the tasks that exist at the end
run "$SONDE" record -q -e cpu-clock:u --tail-synthesize -o tail.data -- "$workload" 0.05
want_status 0
sound tail.data
