#!/bin/sh
# SPDX-License-Identifier: MIT
# record_priority.sh - the threads of the recorder run in real time where that is permitted, and the command does not
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"
need_command chrt
chrt -f 1 true 2>/dev/null || skip "no task may run in real time here"
run "$SONDE" record -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"

# policies PID: the scheduling policy of each thread, 1 is SCHED_FIFO
policies() {
	for task in "/proc/$1/task/"*; do
		sed 's/.*) //' "$task/stat" 2>/dev/null | cut -d ' ' -f 39
	done
}

# fifo PID N: N threads of the process are SCHED_FIFO
fifo() {
	[ "$(policies "$1" | grep -c '^1$' || :)" -eq "$2" ]
}

has_child() {
	[ -n "$(cat "/proc/$1/task/$1/children" 2>/dev/null)" ]
}

# recorder_with THREADS OPTION...: so many of the recorder's threads run in real time, none of the command's
recorder_with() {
	threads=$1
	shift
	mkfifo go
	"$SONDE" record -q -e cpu-clock:u -o fifo.data "$@" -- sh -c 'read -r line <go; exec true' 2>err &
	pid=$!
	wait_until fifo $pid "$threads"
	wait_until has_child $pid
	child=$(cut -d ' ' -f 1 /proc/$pid/task/$pid/children)
	fifo "$child" 0 || fail "the command runs in real time ($*)"
	fifo $pid "$threads" || fail "policies of the recorder's threads ($*): $(policies $pid | tr '\n' ' ')"
	echo >go
	wait $pid || fail "exit status $? ($*): $(cat err)"
	rm go
}

recorder_with 2
recorder_with 0 -r 0
recorder_with 2 -z
# slow compression must not hold a CPU
recorder_with 1 -z 19
