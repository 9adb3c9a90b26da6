#!/bin/sh
# SPDX-License-Identifier: MIT
# jobs.sh - one thread or several: the same bytes
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"

# same_for_all RECORDING: its reports, folded stacks, page and text do not depend on the number of threads
same_for_all() {
	for words in report 'report --no-children -g caller' 'report --no-children -g none' 'report --json' \
		'export --to folded' 'export --to html' script; do
		for jobs in 1 2 7; do
			# shellcheck disable=SC2086 # words
			run "$SONDE" ${words%% *} "$1" ${words#"${words%% *}"} --jobs "$jobs"
			want_status 0
			cat out err >"said$jobs"
			cmp -s said1 "said$jobs" || fail "$ran: $(cmp said1 "said$jobs")"
		done
	done
}

# many NAME: the samples of tests/data/NAME 64 times, which is enough for several threads
many() {
	shipped "$1"
	set -- "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1"
	"$SONDE" merge -q -o eight.data "$@" 2>err || fail "merge: $(cat err)"
	set -- eight.data eight.data eight.data eight.data eight.data eight.data eight.data eight.data
	"$SONDE" merge -q -o many.data "$@" 2>err || fail "merge: $(cat err)"
}

many dwarf.data
same_for_all many.data
"$SONDE" report --jobs 3 many.data >out 2>err || fail "report: $(cat err)"
grep -q '^# Stacks: 896 unwound: ' out || fail "not every stack is unwound: $(grep '^#' out)"
many callgraph.data
same_for_all many.data

run "$SONDE" report --jobs some many.data
want_status 2

need_corpus
for recording in "$SONDE_CORPUS"/unwind/*/cdeep.data "$SONDE_CORPUS"/unwind/*/cppmix.data; do
	[ -e "$recording" ] || continue
	for words in report script; do
		for jobs in 1 5; do
			"$SONDE" "$words" --symfs "${recording%/*}" --jobs "$jobs" "$recording" >"said$jobs" 2>&1 ||
				fail "$words --jobs $jobs $recording: $(tail -1 "said$jobs")"
		done
		cmp -s said1 said5 || fail "$words --jobs 5 $recording: $(cmp said1 said5)"
	done
done
