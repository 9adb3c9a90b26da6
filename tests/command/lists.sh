#!/bin/sh
# SPDX-License-Identifier: MIT
# lists.sh - version, evlist and buildid-list (tests/corpus/evlist.py compares them with perf's), options that perf has
# and that change nothing
. "$SONDE_SOURCE/tests/lib.sh"

run "$SONDE" version
want_status 0
want_out '^sonde version [0-9]+\.[0-9]+\.[0-9]+$'
run "$SONDE" version -v
want_status 0
run "$SONDE" version now
want_status 2

for command in evlist buildid-list; do
	run "$SONDE" $command -i "$tmp/none"
	want_status 1
	want_no_out
	want_err "^sonde: $tmp/none: .*No such file"
	run "$SONDE" $command one two
	want_status 2
done
run "$SONDE" evlist -g -v
want_status 2
want_err '^sonde evlist: -g excludes -v, -F and --trace-fields$'
run "$SONDE" buildid-list -k -i perf.data
want_status 2

need_corpus
file=$SONDE_CORPUS/recorded/perf6.1-groupS.data
stream=$SONDE_CORPUS/recorded/perf6.1-groupS_pipe.data
run "$SONDE" evlist -i "$file"
want_status 0
want_no_err
printf '%s\n' cpu-clock page-faults task-clock "# Tip: use 'sonde evlist -g' to show group information" >"$tmp/expected"
cmp "$tmp/expected" "$tmp/out" || failed_run "other lines"
run sh -c "cat '$stream' | '$SONDE' evlist -g -"
want_status 0
want_out '^\{task-clock,page-faults\}$'
run "$SONDE" evlist --trace-fields "$SONDE_CORPUS/recorded/tc3.1-t7_lost.dat"
want_status 0
want_out '^sched:sched_switch: trace_fields: prev_comm,prev_pid,prev_prio,prev_state,next_comm,next_pid,next_prio$'

run "$SONDE" buildid-list -H "$SONDE_CORPUS/recorded/perf6.1-nobuildid.data"
want_status 0
want_out '^ {41}/workload$'
if [ -r /sys/kernel/notes ]; then
	run "$SONDE" buildid-list -k
	want_status 0
	want_out '^[0-9a-f]{32,40} *$'
fi

# options of perf that have nothing to change
cd "$tmp" || exit 1
cp "$file" perf.data
for command in 'script -F ip' 'export' 'info' 'dump' 'evlist' 'buildid-list'; do
	# shellcheck disable=SC2086  # words
	"$SONDE" $command >plain
	for option in -f --force -q --quiet --verbose --group --skip-empty; do
		case $command$option in
		evlist--group | evlist--verbose | evlist-q | evlist--quiet | evlist--skip-empty) continue ;;
		buildid-list-q | buildid-list--quiet | buildid-list--group | buildid-list--skip-empty) continue ;;
		script*--verbose) continue ;;
		esac
		# shellcheck disable=SC2086
		run "$SONDE" $command $option
		want_status 0
		cmp plain out || failed_run "$option changes the output"
	done
done
