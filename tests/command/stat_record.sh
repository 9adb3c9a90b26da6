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

# the recording says which CPUs share a line
run "$SONDE" stat record -a -e page-faults -o cpus.data true
all_cpus=$status
if [ "$all_cpus" -eq 0 ]; then
	faults_of_all=$(awk '$2 == "page-faults" { gsub(",", "", $1); print $1 }' err)
	for by in -A --per-core --per-die --per-socket; do
		run "$SONDE" stat report "$by" -x, -i cpus.data
		want_status 0
		case $by in
		-A) sum=$(awk -F, '/^CPU[0-9]/ { n += $2 } END { print n }' err) ;;
		*) sum=$(awk -F, '/^S[0-9]/ { n += $3 } END { print n }' err) ;;
		esac
		[ "$sum" = "$faults_of_all" ] || failed_run "$by: not $faults_of_all page faults"
	done
	run "$SONDE" stat report --per-cache -i cpus.data
	want_status 2
	run "$SONDE" stat report --per-node -i cpus.data
	want_err 'does not say which CPUs belong together: one line for each CPU'
fi

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

[ "$all_cpus" -eq 0 ] || skip "counting on all CPUs is not permitted here"
perf stat record -a -e page-faults,cs -o perf-cpus.data true 2>/dev/null || skip "perf cannot count CPUs here"
for by in -A --per-core --per-die --per-socket --per-node; do
	for file in cpus.data perf-cpus.data; do
		[ "$by $file" != '--per-node cpus.data' ] || continue
		perf stat -x, report "$by" -i "$file" 2>&1 | cut -d, -f 1-5 | sort >theirs
		"$SONDE" stat report "$by" -x, -i "$file" 2>&1 | cut -d, -f 1-5 | sort >ours
		cmp -s theirs ours || fail "stat report $by $file: $(diff theirs ours)"
	done
done
