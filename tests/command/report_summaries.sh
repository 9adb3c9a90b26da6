#!/bin/sh
# SPDX-License-Identifier: MIT
# report_summaries.sh - what report shows beside the table, against perf: --header, -I, --stats, --tasks, --mmaps, -T
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
newest=${SONDE_NEWEST_PERF:-$SONDE_SOURCE/../shared/tools/newest-perf}
[ -x "$newest" ] || newest=perf

# Records of perf 6.1 and 7.2 in the same words: one blank between columns, none in the tree after |; private maps
# are not told from shared ones, as with 6.1
squeezed() {
	tr -s ' ' | sed -E 's/ +$//; s/\| +/|/g; s/ ([r-])([w-])([x-])[sp] ([0-9a-f]{8}) ([0-9a-f]+ )?/ \1\2\3 \4 /'
}

compare() {
	"$newest" report --stdio -i "$1" "$2" 2>/dev/null </dev/null | squeezed >"$tmp/want"
	[ -s "$tmp/want" ] || fail "$newest $2: nothing to compare with"
	run "$SONDE" report -i "$1" "$2"
	squeezed <"$tmp/out" >"$tmp/got"
}

perf record -q -e cpu-clock:u -o "$tmp/data" -- sh -c 'true; (true); ls / >/dev/null' >/dev/null 2>&1 ||
	skip "perf cannot record here"
for option in --stats --tasks; do
	compare "$tmp/data" $option
	want_status 0
	diff "$tmp/want" "$tmp/got" || fail "$option: differs"
done

# perf keeps what a process had mapped before it ran another program: ours are fewer
compare "$tmp/data" --mmaps
sort "$tmp/want" >"$tmp/theirs"
sort "$tmp/got" | comm -23 - "$tmp/theirs" >"$tmp/only"
[ ! -s "$tmp/only" ] || { cat "$tmp/only"; fail "--mmaps: lines that perf does not have"; }
[ "$(grep -c ' r-x ' "$tmp/got")" -gt 3 ] || fail "--mmaps: no mappings"

for option in --header-only '--header-only -I'; do
	# shellcheck disable=SC2086
	perf report $option -i "$tmp/data" 2>/dev/null | grep -v '^# missing features' >"$tmp/want"
	# shellcheck disable=SC2086
	run "$SONDE" report $option -i "$tmp/data"
	want_status 0
	grep -v '^# missing features' "$tmp/out" | diff "$tmp/want" - || fail "$option: differs"
done
run "$SONDE" report --header -i "$tmp/data"
want_out '^# captured on '
want_out '^# Overhead '

run sh -c '"$0" report --header <"$1" -' "$SONDE" "$tmp/data"
want_status 2
want_err 'the standard input can be read once'
run sh -c '"$0" report --stats <"$1" -' "$SONDE" "$tmp/data"
want_status 0
want_out ' SAMPLE events: '

need_corpus
for file in perf7.2-sched.data perf6.1-sched.data perf6.1-freq.data; do
	for option in --stats --tasks; do
		compare "$SONDE_CORPUS/recorded/$file" $option
		diff "$tmp/want" "$tmp/got" || fail "$file $option: differs"
	done
done
[ "$newest" != perf ] || skip "there is no perf that reads READ records with ids"
file=$SONDE_CORPUS/recorded/perf7.2-inheritstat.data
"$newest" report --stdio -T -i "$file" 2>/dev/null </dev/null | sed -n '/^# PID/,$p' | grep . >"$tmp/want"
run "$SONDE" report -T -i "$file"
sed -n '/^# PID/,$p' "$tmp/out" | diff "$tmp/want" - || fail "-T: differs"
