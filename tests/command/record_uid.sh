#!/bin/sh
# SPDX-License-Identifier: MIT
# record_uid.sh - `sonde record --uid`: what a user has running, and the command
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

run "$SONDE" record -q -p $$ -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "tasks cannot be recorded here: $(cat err)"

run "$SONDE" record --uid nosuchuser -e cpu-clock:u -o r.data true
want_status 2
want_err "there is no user 'nosuchuser'"
run "$SONDE" record --uid 4294967293 -e cpu-clock:u -o r.data true
want_status 1
want_err 'user 4294967293 has no processes'
[ ! -e r.data ] || fail "nothing was recorded, and there is a file"

# as -p of each: the workload that runs already, and the command
"$workload" 60 >/dev/null &
pid=$!
run "$SONDE" record -q --uid "$(id -u)" -e cpu-clock:u -o r.data "$workload" 0.2
kill $pid
want_status 0
"$SONDE" script -F comm,pid -i r.data >tasks
grep -q "^ *workload  *$pid *$" tasks || fail "no samples of the task that ran before"
[ "$(sort -u tasks | grep -c '^ *workload ')" -ge 2 ] || fail "no samples of the command"
