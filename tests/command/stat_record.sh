#!/bin/sh
# SPDX-License-Identifier: MIT
# stat_record.sh - counts that were recorded are shown by sonde stat report, and by perf stat report and perf script
. "$SONDE_SOURCE/tests/lib.sh"

cd "$tmp" || exit 1
run "$SONDE" stat record -e page-faults:u,task-clock:u -o counts.data true
[ "$status" -eq 0 ] || skip "counting is not permitted here: $(cat err)"
faults=$(awk '$2 == "page-faults:u" { print $1 }' err)
run "$SONDE" check counts.data
want_status 0
want_out ' 0 errors, 0 warnings, 0 notes$'
run "$SONDE" stat report -i counts.data
want_status 0
want_err "^ Performance counter stats for 'sonde stat record true':$"
want_err "^ *$faults *page-faults:u "
want_err '^ *[0-9.]* msec task-clock:u '
want_err '^ *[0-9.]* seconds time elapsed$'
run "$SONDE" stat report -i counts.data -x,
want_err "^$faults,,page-faults:u,[0-9]*,100.00,,\$"
run "$SONDE" stat report -i counts.data -j
want_err '"event" : "page-faults:u"'

# as a stream, and by intervals
"$SONDE" stat record -e page-faults:u -o - true 2>/dev/null >stream
run "$SONDE" stat report -i - <stream
want_err "^ Performance counter stats for 'pipe':\$"
want_err '^ *[0-9]* *page-faults:u '
run "$SONDE" stat --record steps.data -I 100 -e task-clock:u -x, sh -c 'sleep 0.25'
want_status 0
steps=$(wc -l <err)
run "$SONDE" stat report -i steps.data -x,
[ "$(wc -l <err)" -eq "$steps" ] || failed_run "not the $steps intervals that were printed"

# what is no recording of counts
shipped callgraph.data
run "$SONDE" stat report -i callgraph.data
want_status 1
want_err 'has no counts: '
run "$SONDE" stat report -i missing.data
want_status 1
head -c 600 counts.data >cut.data
run "$SONDE" stat report -i cut.data
[ "$status" -le 1 ] || failed_run 'a recording that is cut'
run "$SONDE" stat record -r 2 true
want_status 2

# perf reads it
command -v perf >/dev/null 2>&1 || skip "there is no perf to compare with"
run perf stat report -i counts.data
want_status 0
want_err "^ *$faults *page-faults:u "
perf script -i counts.data >theirs
"$SONDE" script -i counts.data >ours
cmp theirs ours || fail "perf script and sonde script differ"
perf stat record -e page-faults:u,task-clock:u -o perf.data true 2>theirs || skip "perf cannot count here"
run "$SONDE" stat report -i perf.data --no-big-num
want_status 0
want_err "^ *$(awk '$2 == "page-faults:u" { print $1 }' theirs) *page-faults:u "
