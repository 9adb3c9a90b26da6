#!/bin/sh
# SPDX-License-Identifier: MIT
# obeyed.sh - an option is obeyed or refused, never passed over in silence
. "$SONDE_SOURCE/tests/lib.sh"

need_corpus
chains=$SONDE_CORPUS/perf/quipper-perf.data.callgraph-3.8 plain=$SONDE_CORPUS/recorded/perf6.1-freq.data
real=$SONDE_CORPUS/recorded/perf6.1-clockid_real.data

# callers' times without trees, in either spelling, and without both
for words in --children '-g none --children' '--children -g none' '-g none'; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" report $words "$chains"
	want_status 0
	want_out '^# Children +Self '
	[ "$words" = --children ] || if grep -q -e '---' "$tmp/out"; then failed_run 'there is a tree'; fi
done
run "$SONDE" report -g none --no-children "$chains"
want_out '^# Overhead +Command '

# where no stacks were recorded
for words in --children -g '-g caller' '--children -g none'; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" report $words "$plain"
	want_status 0
	want_err 'freq.data: has no call chains: it was recorded without -g$'
done
for words in '' --no-children '-g none' '--children --no-children'; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" report $words "$plain"
	if grep -q 'call chains' "$tmp/err"; then failed_run 'nobody asked for call chains'; fi
done

# one report at a time
rm -f "$tmp/page.html"
run "$SONDE" report --json --html="$tmp/page.html" "$plain"
want_status 2
want_err 'json and --html exclude each other'
want_no_out
[ ! -e "$tmp/page.html" ] || fail 'a page was written'

# the time of day needs a clock that says it
run "$SONDE" script -F tod,ip "$plain"
want_status 2
want_err "field 'tod' needs the wall clock"
want_no_out
run "$SONDE" script -F +tod "$plain"
want_status 2
run "$SONDE" script -F tod,ip "$real"
want_status 0
want_out '^ *20[0-9]{2}-[0-9]{2}-[0-9]{2} '
