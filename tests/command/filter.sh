#!/bin/sh
# SPDX-License-Identifier: MIT
# filter.sh - which events of a trace.dat `sonde script` prints: -F, --filter, -v, -I
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
all=$SONDE_CORPUS/recorded/tc3.1-t7_all_light.dat

# lines ARGS...: how many events are printed
lines() {
	run "$SONDE" script "$@" "$all"
	want_status 0
	echo "$(($(wc -l <"$tmp/out") - 1))"
}

total=$(lines)
[ "$(lines -F sched_switch)" -eq 5 ] || failed_run 'of one event'
[ "$(lines --filter sched_switch)" -eq 5 ] || failed_run 'by the long name'
[ "$(lines -v -F sched_switch)" -eq $((total - 5)) ] || failed_run 'all but one event'
[ "$(lines -F sched_switch -F sched_waking)" -eq 13 ] || failed_run 'of two events'
[ "$(lines -F 'sched_switch: next_pid == 0 || prev_pid == 22')" -eq 2 ] || failed_run 'by fields'
[ "$(lines -F 'sched_switch: next_comm ~ "kworker*"')" -eq 2 ] || failed_run 'by a pattern'
[ "$(lines -F 'sched_switch: prev_pid == next_pid')" -eq 0 ] || failed_run 'one field against another'
[ "$(lines -F 'sched_switch: (prev_prio & 15) == 8')" -eq 5 ] || failed_run 'by bits'
[ "$(lines -F 'kmem.*: call_site == "vfs_get_link"')" -ge 1 ] || failed_run 'by the name of a function'
[ "$(lines -F '.*: CPU == 1')" -eq $((total - $(lines -F '.*: CPU != 1'))) ] || failed_run 'by CPU'
[ "$(lines -I)" -eq $((total - $(lines -F '.*: common_flags & 8'))) ] || failed_run 'without those in interrupts'
[ "$(lines -I --no-softirq)" -eq "$(lines -F '.*: (common_flags & 0x18) == 0')" ] || failed_run 'nor in softirqs'

# what lists fields still chooses fields
run "$SONDE" script -F comm,tid,time "$all"
want_status 0
want_out '^ *true +479 +139\.'
run "$SONDE" script -F trace:comm,trace "$all"
want_status 0

# what is neither is said
run "$SONDE" script -F comm,nothing "$all"
want_status 2
want_no_out
want_err 'filter 1 is about no event'
run "$SONDE" script -F 'sched_switch: next_pid ==' "$all"
want_status 2
want_err "filter 'sched_switch: next_pid ==': a field, a number or a string is missing at 'the end'"
run "$SONDE" script --layout perf --filter sched "$all"
want_status 2
run "$SONDE" script --filter sched "$SONDE_CORPUS/recorded/perf6.1-sched.data"
want_status 2
run "$SONDE" script -F 'sched_switch: next_pid == 0' "$SONDE_CORPUS/recorded/perf6.1-sched.data"
want_status 2
