#!/bin/sh
# SPDX-License-Identifier: MIT
# losses.sh - one loss is one row of the ledger, whoever tells of it
. "$SONDE_SOURCE/tests/lib.sh"

need_corpus

# FILE COUNT: the recorder lost so many events, and nothing else
loses() {
	for words in info 'info --count'; do
		# shellcheck disable=SC2086 # words
		run "$SONDE" $words "$SONDE_CORPUS/recorded/$1"
		[ "$3" = always ] || [ "$words" != info ] || continue
		[ "$(awk '/^# losses/ { n += $4 } END { print n + 0 }' "$tmp/out")" = "$2" ] ||
			failed_run "expected $2 losses"
	done
	run "$SONDE" report "$SONDE_CORPUS/recorded/$1"
	found=$(grep -E -o ': [0-9]+ events lost because the ring buffer was full' "$tmp/err" |
		awk '{ n += $2 } END { print n + 0 }')
	[ "$found" = "$2" ] || failed_run "expected $2 events lost"
	without_names
}

# CPUSTAT counts what pages tell of, in part without a number: 76192 and six times; before they are read too
loses tc3.1-t7_lost.dat 83037 always
want_err '^sonde: Warning: .*: 83037 events lost because the ring buffer was full .*cpu 1, time '
want_err_lines 1
loses s390x-t7lost.dat 31776 always
# without statistics the pages are all there is
run "$SONDE" info --count "$SONDE_CORPUS/recorded/tc3.1-t6.dat"
want_out '^# losses +: none'

# LOST records, and the counts that perf reads at the end: the same 5615 events
loses perf6.1-lost.data 5615 counted
want_err_lines 1

# what perf says on its standard error, written into its stream: recognised, and every record is delivered
for f in perf6.1-zpipe.data armhf-pipe.data s390x-pipe.data; do
	"$SONDE" script "$SONDE_CORPUS/recorded/$f" >"$tmp/whole" 2>/dev/null
	{
		cat "$SONDE_CORPUS/recorded/$f"
		echo '[ perf record: Woken up 1 times to write data ]'
		echo '[ perf record: Captured and wrote 0.000 MB - ]'
	} >"$tmp/text.data"
	for way in '' '-'; do
		if [ "$way" ]; then
			run sh -c "cat '$tmp/text.data' | '$SONDE' script -"
		else
			run "$SONDE" script "$tmp/text.data"
		fi
		want_status 1
		want_err ': 95 bytes of text that are no records, .*: "\[ perf record: Woken up 1 times .* \]"'
		without_names
		want_err_lines 1
		cmp -s "$tmp/out" "$tmp/whole" || failed_run "other samples than without the text"
	done
	{
		cat "$SONDE_CORPUS/recorded/$f"
		printf 'Killed\n'
	} >"$tmp/text.data"
	run "$SONDE" script "$tmp/text.data"
	want_err ': 7 bytes of text that are no records, .*: "Killed"'
	cmp -s "$tmp/out" "$tmp/whole" || failed_run "other samples than without the text"
done
