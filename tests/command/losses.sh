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
		[ "$(awk '/^# losses/ { n += $4 } END { print n + 0 }' "$tmp/out")" = "$2" ] || failed_run "expected $2 losses"
	done
	run "$SONDE" report "$SONDE_CORPUS/recorded/$1"
	[ "$(grep -E -o ': [0-9]+ events lost because the ring buffer was full' "$tmp/err" | awk '{ n += $2 } END { print n + 0 }')" = "$2" ] ||
		failed_run "expected $2 events lost"
}

# CPUSTAT counts what pages tell of, in part without a number: 76192 and six times; before they are read too
loses tc3.1-t7_lost.dat 83037 always
want_err '83037 events lost because the ring buffer was full .*cpu 1, time '
want_err_lines 1
loses s390x-t7lost.dat 31776 always
# without statistics the pages are all there is
run "$SONDE" info --count "$SONDE_CORPUS/recorded/tc3.1-t6.dat"
want_out '^# losses +: none'

# LOST records, and the counts that perf reads at the end: the same 5615 events
loses perf6.1-lost.data 5615 counted
want_err_lines 1
