#!/bin/sh
# SPDX-License-Identifier: MIT
# no_samples.sh - a recording without samples: record says what it knows of the reason, and report names the events
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"

# empty SENTENCE WORD...: what record says
empty() {
	sentence=$1
	shift
	run "$SONDE" record -o empty.data "$@" -- true
	want_status 0
	want_err '\(0 samples\)'
	want_err "^sonde: Warning: there are no samples: $sentence"
}

# named EVENT: what the others say of the file
named() {
	for words in report script export; do
		run "$SONDE" $words -i empty.data
		want_status 0
		want_err "empty.data: has no samples; its records are .*; it recorded $1\$"
	done
}

empty 'page-faults happened [1-9][0-9]* times, and a sample is taken every 1000000$' -e page-faults -c 1000000
named page-faults
empty 'cpu-clock:u counted [0-9]* ns, and is sampled at 1 Hz, and the kernel is left out$' \
	-e cpu-clock:u -F 1
named 'cpu-clock:u \(without the kernel\)'
empty 'cpu-clock:k counted [0-9]* ns, .*, and user space is left out$' -e cpu-clock:k -F 1
named 'cpu-clock:k \(without user space\)'
empty 'only some time of the run was to be recorded; cpu-clock counted 0 ns$' -e cpu-clock -D 5000
empty 'page-faults happened [0-9]* times, .*; cpu-clock counted [1-9][0-9]* ns$' -c 1000000000 \
	-e '{page-faults,cpu-clock}:S'
named 'page-faults, cpu-clock'

# -q says nothing, nor does a recording that has samples
run "$SONDE" record -q -o empty.data -e page-faults -c 1000000 -- true
want_no_err
run "$SONDE" record -o full.data -e page-faults -c 1 -- true
! grep -q 'no samples' err || failed_run 'it has samples'

"$SONDE" list 2>/dev/null | grep -q '^ *sched:sched_switch ' || skip 'tracepoints are not tested: there are none here'
empty "sched:sched_switch happened 0 times where the filter holds: 'next_pid == 4000000'\$" \
	-e sched:sched_switch --filter 'next_pid == 4000000'
named sched:sched_switch
empty ".*; and [1-9][0-9]* further events\$" -e 'sched:*' --filter 'common_pid == 4000000'

"$SONDE" record --ftrace -q -e sched:sched_switch -o probe.dat -- true 2>/dev/null ||
	skip 'trace.dat is not tested: no tracefs'
scope='in the tasks that were recorded'
# never SENTENCE WORD...: what record --ftrace says
never() {
	sentence=$1
	shift
	run "$SONDE" record --ftrace -o empty.dat "$@" -- true
	want_status 0
	want_err '\(0 events\)'
	want_err "^sonde: Warning: there are no events: $sentence\$"
}
never "sched:sched_switch happened 0 times $scope where the filter holds: 'next_pid == 4000000'" \
	-e sched:sched_switch -f 'next_pid == 4000000'
never "sched:sched_process_hang happened 0 times $scope" -e sched:sched_process_hang
never "sched:sched_process_hang, sched:sched_move_numa happened 0 times $scope" \
	-e sched:sched_process_hang -e sched:sched_move_numa
run "$SONDE" record --ftrace -q -e sched:sched_process_hang -o empty.dat -- true
want_no_err
run "$SONDE" record --ftrace -e sched:sched_switch -o full.dat -- true
! grep -q 'no events' err || failed_run 'it has events'
