#!/bin/sh
# SPDX-License-Identifier: MIT
# examples_count.sh - the examples that count do what their first line says
. "$SONDE_SOURCE/tests/lib.sh"

examples=$SONDE_BUILD/examples

run "$examples/example-instructions"
[ "$status" -eq 0 ] || skip "counting is not permitted here: $(cat "$tmp/err")"

for cxx in '' -cxx; do
	[ -x "$examples/example-instructions$cxx" ] || continue

	run "$examples/example-instructions$cxx"
	want_status 0
	want_out '^Counting what this printf takes$'
	want_out '^[1-9][0-9]* [a-z]*$'

	run "$examples/example-group$cxx"
	want_status 0
	want_out '^ *[1-9][0-9]* task-clock:u, counted in [1-9][0-9]* of [1-9][0-9]* ns$'
	want_out '^ *[0-9]* page-faults:u, counted in [1-9][0-9]* of [1-9][0-9]* ns$'

	run "$examples/example-read_self$cxx"
	want_status 0
	want_out '^[0-9]* (ns|instructions) between two reads, by (the mapped page|read\(2\))$'

	run "$examples/example-overflow$cxx"
	want_status 0
	run "$examples/example-period$cxx"
	want_status 0
	run "$examples/example-overflow_poll$cxx"
	want_status 0
	want_out '^100 page faults$'

	# its 1000 page faults between pause and resumption are left out
	run "$examples/example-task_pause$cxx"
	want_status 0
	awk '$1 < 20 || $1 >= 1000 { exit 1 }' "$tmp/out" || failed_run 'not 20 page faults'

	run "$examples/example-attach$cxx" $$
	want_status 0
	want_out '^ *[0-9]* task-clock(:u)?$'
	want_out '^ *[0-9]* context-switches(:u)?$'
	run "$examples/example-attach$cxx" 99999999
	want_status 1
	want_err 'there is no process 99999999'

	run "$examples/example-live_samples$cxx" sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
	want_status 0
	want_out '^[1-9][0-9]* [1-9][0-9]* ns '
	run "$examples/example-live_samples$cxx" "$tmp/missing"
	want_status 1
	want_err "there is no program '$tmp/missing'"

	# these need what not every machine has: the file system of control groups, tracepoints, breakpoints that no
	# other program holds
	run "$examples/example-cgroup_counts$cxx"
	if [ "$status" -eq 0 ]; then
		want_out '^[1-9][0-9]* ns$'
	else
		want_err '[a-z]'
	fi
	run "$examples/example-filter$cxx"
	if [ "$status" -eq 0 ]; then
		want_out '^10 calls of getppid$'
	else
		want_err 'raw_syscalls:sys_enter|tracefs'
	fi
	if ! "$SONDE_BUILD/tests/breakpoints_work"; then
		skip_part "breakpoints do not count on this machine, without sonde either"
		continue
	fi
	run "$examples/example-breakpoint$cxx"
	if [ "$status" -eq 0 ]; then
		want_out '^42 writes$'
	else
		want_err '^cannot count writes: '
	fi
done

case $SONDE_SANITIZE in
thread) ;; # it delays signals
*)
	run "$examples/example-overflow"
	want_out '^3 overflows$'
	run "$examples/example-period"
	want_out '^5[0-9][0-9] page faults, 0 overflows$'
	want_out '^5[0-9][0-9] page faults, [5-9] overflows$'
	;;
esac

if [ -x "$examples/example-command_counts" ]; then
	run "$examples/example-command_counts" true
	want_status 0
	want_out '^ *[1-9][0-9]* task-clock:u$'
	want_out '^ *[1-9][0-9]* page-faults:u$'
	run "$examples/example-command_counts" "$tmp/missing"
	want_status 1
	want_err "there is no program '$tmp/missing'"
fi

# Each section of the manual page has its example.
grep -o '([a-z0-9_]*\.cc*)' "$SONDE_SOURCE/examples/README.md" | tr -d '()' | sort -u >"$tmp/named"
(cd "$SONDE_SOURCE/examples" && ls ./*.c ./*.cc) | sed 's|^\./||' | sort -u >"$tmp/there"
cmp -s "$tmp/named" "$tmp/there" || fail "examples/README.md: $(diff "$tmp/named" "$tmp/there")"
