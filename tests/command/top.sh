#!/bin/sh
# SPDX-License-Identifier: MIT
# top.sh - `sonde top --stdio`: what runs now, as text
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

# usage
run "$SONDE" top --stdio ls
want_status 2
want_err "there is no argument, as 'ls'"
for words in '-d 0' '-d x' '-K -U' '-E x' '--percent-limit 101' '--sort nosuchkey' '--stdio --tui' '-F 1 -c 1' \
	'--call-graph nosuchword' '-p x' '-e nosuchevent'; do
	# shellcheck disable=SC2086  # several words
	run "$SONDE" top $words
	want_status 2
	want_no_out
done

run "$SONDE" record -q -p $$ -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "tasks cannot be recorded here: $(cat err)"

run "$SONDE" top --stdio -p 4194304
want_status 1

"$workload" 600 >/dev/null &
pid=$!
at_end() {
	kill $pid $top 2>/dev/null || :
}

# start WORDS...: `sonde top` in the background; its text is in $tmp/table
start() {
	: >table             # not what the one before has shown: the shell may open it late
	"$SONDE" top --stdio "$@" >table 2>messages &
	top=$!
}

# stop STATUS: ends it with Ctrl-C's signal
stop() {
	kill -INT $top 2>/dev/null || :
	status=0
	wait $top || status=$?
	top=
	[ "$status" -eq "$1" ] || fail "exit status $status: $(cat messages)"
}

shows() {
	grep -E -q -e "$1" table
}

# perf's heading and rows: share, binary, level, function
start -e cpu-clock:u -F 999 -p $pid -d 0.2
wait_until shows '^ +[0-9]+\.[0-9]{2}%  workload +\[\.\] [a-z_]+$'
losses='lost: [0-9]+/[0-9]+ drop: [0-9]+/[0-9]+'
target="\[999Hz cpu-clock:u\],  \(target_pid: $pid, [0-9]+ CPUs?\)"
wait_until shows "^   PerfTop: +[1-9][0-9]* irqs/sec  kernel: 0\.0%  exact:  0\.0% $losses $target\$"
stop 0
if grep -q '[k]ernel' messages; then fail "unexpected messages: $(cat messages)"; fi

# keys and columns; the names of a row are those of the workload only
start -e cpu-clock:u -p $pid -d 0.2 -s comm,symbol -n --show-total-period
wait_until shows '^ +[0-9]+\.[0-9]{2}% +[1-9][0-9]* +[0-9]+  workload  \[\.\] [a-z_]+$'
stop 0
! grep -q ' -      -' table || fail "the key symbol has the columns of perf report"

# call graphs: two shares in each row, trees below
start -e cpu-clock:u -p $pid -d 0.2 -g
wait_until shows '^ +[0-9]+\.[0-9]{2}% +[0-9]+\.[0-9]{2}%  workload '
wait_until shows '[|-]--[0-9]+\.[0-9]{2}%--[a-z_]'
stop 0
start -e cpu-clock:u -p $pid -d 0.2 --call-graph fp,folded,0.5,callee --no-children
wait_until shows '^[0-9]+\.[0-9]{2}% [a-z_]+;[a-z_;]+'
stop 0
start -e cpu-clock:u -p $pid -d 0.2 --call-graph fp,address
wait_until shows '[0-9]{2}%--[a-z_]+ ([+]|[a-z_]+\.c:)[0-9]+$'
stop 0
start -e cpu-clock:u -p $pid -d 0.2 --call-graph fp,srcline
wait_until shows '[0-9]{2}%--[a-z_]+ ([?][?]|[a-z_]+\.c):[0-9]+$'
stop 0

# -U leaves out user space, --dsos and --percent-limit rows, -E the rows after
start -e cpu-clock:u -p $pid -d 0.2 -U
wait_until shows '^   PerfTop: +[1-9]'
stop 0
! grep -q '%  [^ ]* *\[' table || fail "-U: there are rows"
start -e cpu-clock:u -p $pid -d 0.2 -E 1 --dsos workload
wait_until shows '^ .*%  +\[\.\] '
stop 0
awk '/PerfTop/ { n = 0; next } /%  .*\[/ && ++n > 1 { exit 1 }' table || fail "-E 1: there are two rows"

# it ends with the tasks, after so many refreshes, and when nobody reads
start -e cpu-clock:u -p $pid --iterations 2 -d 0.1
status=0
wait $top || status=$?
[ "$status" -eq 0 ] || fail "--iterations: exit status $status"
[ "$(grep -c PerfTop table)" -eq 2 ] || fail "--iterations 2: $(grep -c PerfTop table) tables"
"$SONDE" top --stdio -e cpu-clock:u -p $pid -d 0.1 2>messages | head -n 3 >table
[ "$(grep -c PerfTop table)" -eq 1 ] || fail "head got $(cat table)"
start -e cpu-clock:u -p $pid -d 0.2
wait_until shows 'PerfTop'
kill $pid
status=0
wait $top || status=$?
[ "$status" -eq 0 ] || fail "the task has ended: exit status $status: $(cat messages)"
