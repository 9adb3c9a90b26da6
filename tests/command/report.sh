#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh - `sonde report` and `sonde export`: columns, filters, trees, formats, and what is no trace
. "$SONDE_SOURCE/tests/lib.sh"

# a file that is not there: the error, and no empty report
: >"$tmp/empty"
for words in '' --json --stdio '-g none' '--sort comm' --total-cycles --stats -D; do
	for file in "$tmp/none" "$tmp/empty"; do
		# shellcheck disable=SC2086
		run "$SONDE" report $words "$file"
		want_status 1
		want_no_out
		want_err_lines 1
		want_err "^sonde: $file: "
	done
done
run "$SONDE" report --html "$tmp/none.html" "$tmp/none"
want_status 1
want_err "^sonde: $tmp/none: .*No such file"
[ ! -e "$tmp/none.html" ] || fail "a page of nothing"

# as perf: keys and fields in any case; only `symbol` itself has a column with the IPC
shipped callgraph.data
for words in '--sort dso,sym=--sort DSO,Symbol' '-F overhead,sample,dso=-F Overhead,SAMPLE,Dso' \
	'--sort +cpu=--sort +CPU' '-g none=--no-call-graph' '-n=-n --raw-trace'; do
	# shellcheck disable=SC2086
	"$SONDE" report ${words%%=*} "$tmp/callgraph.data" >"$tmp/lower"
	# shellcheck disable=SC2086
	run "$SONDE" report ${words#*=} "$tmp/callgraph.data"
	want_status 0
	cmp "$tmp/out" "$tmp/lower" || fail "report ${words#*=} is another report than ${words%%=*}"
done

for wrong in '--sort comm,nothing' '-gsideways' '--percent-limit many' '--percentage some' '--pid x' '--time abc'; do
	# shellcheck disable=SC2086
	run "$SONDE" report -i "$tmp/none" $wrong
	want_err '^sonde'
	[ "$status" -ne 0 ] || fail "report $wrong: exit status 0"
done

run "$SONDE" report -i "$tmp/none" --sort symbl
want_status 2
want_err "no sort key 'symbl'; did you mean 'symbol'"
want_err '^There are: .*overhead.*'
run "$SONDE" report -i "$tmp/none" -F +perod
want_status 2
want_err "no field 'perod'; did you mean 'period'"
for wrong in '-t ab' '-t .' '-w wide' '-g graph,101' '--sort +'; do
	# shellcheck disable=SC2086
	run "$SONDE" report -i "$tmp/none" $wrong
	want_status 2
done

run "$SONDE" export --to cuneiform "$tmp/none"
want_status 2
want_err "no export format 'cuneiform'"

need_corpus
file=$SONDE_CORPUS/recorded/perf6.1-freq.data
[ -f "$file" ] || skip "there is no $file"

run "$SONDE" report "$file"
want_status 0
want_out '^# Samples: .* of event '
want_out '^# Overhead +Command +Shared Object +Symbol'
want_out '^ +[0-9]+\.[0-9][0-9]%  [^ ]'
cp "$tmp/out" "$tmp/file"

run sh -c '"$0" report - <"$1"' "$SONDE" "$file"
want_status 0
cmp -s "$tmp/out" "$tmp/file" || fail "another report from the standard input"

run "$SONDE" report -i "$file" -i "$file" --sort comm -n
want_status 0
want_out '^# Overhead +Samples +Command'

run "$SONDE" report --comms no-such-command "$file"
want_status 0
grep -v '^#' "$tmp/out" | grep -q '%' && fail "rows of a command that there is not"

run "$SONDE" report --json -g --sort comm,sym "$file"
want_status 0
want_out '^\{"schema":1,"events":\[\{"event":'

run "$SONDE" report --html "$tmp/page.html" "$file"
want_status 0
want_no_out
grep -q '</html>' "$tmp/page.html" || fail "the page is not whole"

run "$SONDE" export --to folded "$file"
want_status 0
want_out '^[^ ;]+;.* [0-9]+$'
LC_ALL=C sort -c "$tmp/out" || fail "the lines of folded are not sorted"
