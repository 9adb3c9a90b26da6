#!/bin/sh
# SPDX-License-Identifier: MIT
# nothing.sh - where there is nothing to show, a sentence says so, and what is in the file; the exit status is perf's
. "$SONDE_SOURCE/tests/lib.sh"

need_corpus
freq=$SONDE_CORPUS/recorded/perf6.1-freq.data stat=$SONDE_CORPUS/recorded/perf6.1-stat_A.data
dat=$SONDE_CORPUS/recorded/tc3.1-t7_none.dat

# nothing STATUS SENTENCE COMMAND...
nothing() {
	expected=$1 sentence=$2
	shift 2
	run "$SONDE" "$@"
	want_status "$expected"
	want_err "^sonde: Warning: .*$sentence"
	without_names
	want_err_lines 1
}

# filters that match nothing
of_freq='12 cpu-clock, 12 task-clock, 8 minor-faults, from 64\.238645 to 64\.262968'
for words in 'script --comms nope' 'script --pid 99999' 'script --time 1,2' 'script --cpu 77' 'script --dsos nope' \
	'script --symbols nope' \
	'report --comm nope' 'report --time 1,2' 'report --json --time 1,2' 'report --html=/dev/null --time 1,2'; do
	# shellcheck disable=SC2086 # words
	nothing 0 "freq.data: none of its 32 samples was asked for: $of_freq; their CPUs were not recorded$" \
		${words%% *} "$freq" ${words#* }
done
run "$SONDE" report "$freq" --dso nope
want_status 0
want_err 'none of its 32 samples was asked for'
nothing 0 'all entries are below the limit of --percent-limit 101$' report "$freq" --sort comm \
	--percent-limit 101
for words in '--filter sched_waking:pid==99999' '--cpu 77' '--time 1,2' '--layout perf --comms nope'; do
	# shellcheck disable=SC2086 # words
	nothing 0 't7_none.dat: none of its 263 events was asked for: 59 sched:sched_stat_runtime, ' script "$dat" \
		$words
done
run sh -c "cat '$freq' | '$SONDE' script - --comms nope"
want_status 0
want_err '^sonde: Warning: -: (none of its 32 samples was asked for|has no samples, or none)'

# cut: what was asked for is not there; the file is written all the same
nothing 0 'none of its 32 samples was asked for' cut "$freq" "$tmp/cut.data" --time 1,2
nothing 0 'none of its 263 events was asked for' cut "$dat" "$tmp/cut.dat" --pid 77777
[ -s "$tmp/cut.data" ] && [ -s "$tmp/cut.dat" ] || fail "cut wrote no file"
for words in report export script; do
	run "$SONDE" "$words" "$tmp/cut.data"
	want_status 0
	want_err 'cut.data: has no samples; its records are [0-9]+ '
done
run "$SONDE" cut "$freq" "$tmp/cut2.data" --time 64,65
want_no_err

# recordings without samples
nothing 0 "stat_A.data: has no samples; its records are 4 STAT, .*; 'sonde script' prints the counts of perf stat$" \
	report "$stat"
nothing 0 'stat_A.data: has no samples; ' export "$stat"
run "$SONDE" script "$stat"
want_status 0
want_no_err
nothing 0 't7_nop_noev.dat: has no events; its records are [0-9]+ COMM$' script \
	"$SONDE_CORPUS/recorded/tc3.1-t7_nop_noev.dat"

# what cannot be read is another matter
for words in report 'report -g' script export; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" $words "$tmp/missing.data"
	want_status 1
	want_err "^sonde: $tmp/missing.data: cannot open: "
	want_err_lines 1
done

# something to show is shown without a word
run "$SONDE" script "$freq"
without_names
want_no_err
run "$SONDE" script "$dat"
want_no_err

if command -v perf >/dev/null; then
	for words in "script --comms=nope -i $freq" "script --time=1,2 -i $freq" "report --stdio --time=1,2 -i $freq" \
		"report --stdio -i $stat"; do
		# shellcheck disable=SC2086 # words
		run perf $words
		want_status 0
	done
	want_err 'data has no samples!'
else
	skip_part "there is no perf"
fi
