#!/bin/sh
# SPDX-License-Identifier: MIT
# session.sh - several traces by one clock: the offset of each and the fact that it comes from, in every command
. "$SONDE_SOURCE/tests/lib.sh"
need_command python3
for name in clock.data tracepoints.data v7.dat; do
	shipped "$name"
done
cd "$tmp"

# later.data: clock.data, whose recorder read a wall clock that was 5.25 s ahead
python3 - <<'END'
import struct
data = open('clock.data', 'rb').read()
pair = struct.pack('<QQ', 1795349453131503256, 7041997686723)    # the wall clock and the clock of the samples
assert data.count(pair) == 1
open('later.data', 'wb').write(data.replace(pair, struct.pack('<QQ', 1795349453131503256 + 5250000000, 7041997686723)))
END

# sample_times FILE: of its samples, in nanoseconds
sample_times() {
	"$SONDE" script --ns -G -F time "$1" 2>/dev/null | tr -d ' .:' | grep .
}
sample_times clock.data >clock.times

# what a script of both has: the times of the first, and those of the second moved by so many nanoseconds
want_times() {
	sed -n 's/^[ a-z]*\.data: *\([0-9]*\)\.\([0-9]*\):.*/\1\2/p' "$tmp/out" >got
	awk -v by="$1" '{ print; printf "%.0f\n", $1 + by }' clock.times | sort -n | cmp - got ||
		failed_run "times other than those moved by $1"
}
run "$SONDE" script --ns -G -F time clock.data later.data
want_status 0
want_times 5250000000
want_err '^sonde: later\.data: 5\.250000000 s added to its times: both traces note the wall clock$'
run "$SONDE" script --ns -G -F time --offset ,-1.5 clock.data later.data
want_times -1500000000
want_err '^sonde: later\.data: -1\.500000000 s added to its times: its offset was given$'
run "$SONDE" script --ns -G -F time -i clock.data -i later.data --ts-offset 7
want_times 7
# a first trace that is moved takes the others along
run "$SONDE" script --ns -G -F time --offset 2 later.data clock.data
awk '{ printf "%.0f\n%.0f\n", $1 + 2000000000, $1 - 3250000000 }' clock.times | sort -n >want
sed -n 's/^[ a-z]*\.data: *\([0-9]*\)\.\([0-9]*\):.*/\1\2/p' "$tmp/out" | cmp - want || failed_run 'other times'

# where it is shown
run "$SONDE" info clock.data later.data
want_out '^# clock offset   : 0\.000000000 s: its clock is the clock of all$'
want_out '^# clock offset   : 5\.250000000 s: both traces note the wall clock$'
want_no_err
run "$SONDE" info --json clock.data later.data
want_out '"clock_offset":\{"ns":5250000000,"fact":"wall_clock"\}'
run "$SONDE" info later.data
grep -q 'clock offset' "$tmp/out" && failed_run 'the offset of one trace alone'
run "$SONDE" report --header-only --offset 0,0.000000001 clock.data later.data
want_out '^# clock offset   : 0\.000000001 s: its offset was given$'

# one axis of time in a report: its length, and the share of it that --time names
run "$SONDE" report --stdio --time 0%-50% clock.data later.data
want_status 0
awk 'END { print NR }' clock.times >count
want_out "^# Samples: $(cat count)  of event"

# clocks of one scheduler, one clock of one machine, and clocks that nothing relates
"$SONDE" convert --to v7 tracepoints.data same.dat 2>/dev/null
run "$SONDE" script tracepoints.data same.dat
want_no_err
run "$SONDE" info tracepoints.data same.dat v7.dat clock.data
want_out '^# clock offset   : 0\.000000000 s: both clocks are the same one$'
want_out '^# clock offset   : 0\.000000000 s: both are clocks of the scheduler'
want_out '^# clock offset   : 0\.000000000 s: nothing relates its clock to that of the first trace$'
run "$SONDE" script tracepoints.data v7.dat
want_status 0
want_err '^sonde: Warning: v7\.dat: both are clocks of the scheduler, which may be .* apart: record both with one clock'
run "$SONDE" script tracepoints.data clock.data
want_err "^sonde: Warning: clock.data: 1 clock whose offset from the first trace's clock is unknown"
run "$SONDE" report --stdio tracepoints.data clock.data
want_err "^sonde: Warning: clock.data: 1 clock whose offset from the first trace's clock is unknown"

# merge aligns in the same way
run "$SONDE" merge -o both.data clock.data later.data
want_status 0
sample_times both.data >got
awk '{ print; printf "%.0f\n", $1 + 5250000000 }' clock.times | sort -n | cmp - got ||
	failed_run 'times of the merged file'

# the same offsets in every command: a first input that is moved takes the others along
times_asked="select t + (select value from meta where key = 'start_ns') from sample order by t"
printf '%s\n' '2000000000 later.data clock.data --offset 2' '0 later.data clock.data' \
	'-1500000000 later.data clock.data --offset -1.5,' '-3 later.data clock.data --offset ,-0.000000003' |
	while read -r by words; do
		first=0 second=$((by - 5250000000))
		case $words in
		*--offset*,-*) second=$by ;;
		*--offset*) first=$by ;;
		esac
		awk -v a="$first" -v b="$second" '{ printf "%.0f\n%.0f\n", $1 + a, $1 + b }' clock.times | sort -n >want
		# shellcheck disable=SC2086  # words
		{
			"$SONDE" merge -o both.data $words 2>/dev/null
			sample_times both.data >merged
			"$SONDE" script --ns -G -F time $words 2>/dev/null |
				sed -n 's/^[ a-z]*\.data: *\([0-9]*\)\.\([0-9]*\):.*/\1\2/p' >scripted
			"$SONDE" export --to csv -o exported.csv $words 2>/dev/null
			"$SONDE" sql --csv $words "$times_asked" 2>/dev/null | sed 1d >asked
			"$SONDE" info --json $words 2>/dev/null >said
		}
		python3 -c 'import csv, json
rows = list(csv.DictReader(open("exported.csv")))
start = next(int(json.loads(row["fields"])["start_ns"]) for row in rows if row["kind"] == "clock")
print(*[start + int(row["t"]) for row in rows if row["kind"] == "sample"], sep="\n")' >exported
		for got in merged scripted exported asked; do
			cmp "$got" want || fail "$got: other times, for $words"
		done
		for ns in "$first" "$second"; do
			grep -q "\"clock_offset\":{\"ns\":$ns," said || fail "info of $words does not say $ns"
		done
	done

# bad input: an offset beyond the clock, a file twice, many of them, one that cannot be opened
run "$SONDE" script --ns -G -F time --offset 0,-3999999999 clock.data later.data
want_status 0
want_err "^sonde: Warning: later.data: [0-9]+ times that the offset moves past the beginning or the end"
[ "$(grep -c '^later\.data: .* 0\.000000001: *$' "$tmp/out")" -eq "$(cat count)" ] ||
	failed_run 'times that have wrapped'
run "$SONDE" script --ns -G -F time clock.data clock.data
[ "$(wc -l <"$tmp/out")" -eq $((2 * $(cat count))) ] || failed_run 'a file that is there twice'
# shellcheck disable=SC2046  # words
run "$SONDE" script --ns -G -F time $(seq 100 | sed 's/.*/clock.data/')
want_status 0
[ "$(grep -c data: "$tmp/out")" -eq $((100 * $(cat count))) ] || failed_run '100 inputs'
for command in 'script -F time' 'report --stdio' 'info'; do
	# shellcheck disable=SC2086  # words
	run "$SONDE" $command clock.data missing.data later.data
	want_status 1
	want_err '^sonde: missing\.data: cannot open: No such file'
	[ "$(wc -l <"$tmp/out")" -gt 5 ] || failed_run 'nothing of the others'
done
for bad in x 1,x 1e9 9999999999 ''; do
	run "$SONDE" script --offset "$bad" clock.data later.data
	want_status 2
	want_err '^sonde script: --offset takes seconds for each input'
done
