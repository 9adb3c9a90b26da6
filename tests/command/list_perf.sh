#!/bin/sh
# SPDX-License-Identifier: MIT
# list_perf.sh - sonde list has the software events, tracepoints and events of PMUs that perf list has
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
need_command python3
export PYTHONDONTWRITEBYTECODE=1

# names WORD: perf's and sonde's names, each with its aliases, one a line
names() {
	perf list --raw-dump "$1" 2>"$tmp/perf-err" | tr ' ' '\n' | sed '/^$/d' | LC_ALL=C sort -u >"$tmp/theirs"
	"$SONDE" list --raw-dump "$1" | tr ' ' '\n' | sed '/^$/d' | LC_ALL=C sort -u >"$tmp/ours"
}

# Each of perf's names is one of ours. perf gives one of several names.
names sw
[ -s "$tmp/theirs" ] || skip "perf list prints no names here"
LC_ALL=C comm -23 "$tmp/theirs" "$tmp/ours" |
	grep -Ev '^(core_wide|slots|target_cpu)' >"$tmp/missing" &&
	fail "software events that perf lists: $(cat "$tmp/missing")"

[ -r /sys/kernel/tracing/events ] || [ -r /sys/kernel/debug/tracing/events ] ||
	skip_part "tracefs cannot be read: no tracepoints to compare"
names tracepoint
# Probes of other tests come and go. Older perf leaves out the events of ftrace, which cannot be opened.
for list in theirs ours; do
	grep -Ev '^(ftrace|probe|uprobe|kprobe|sdt|synthetic|sonde)[^:]*:' "$tmp/$list" >"$tmp/$list.kept" || :
done
cmp -s "$tmp/theirs.kept" "$tmp/ours.kept" ||
	fail "tracepoints: $(LC_ALL=C comm -3 "$tmp/theirs.kept" "$tmp/ours.kept" | head -5)"

# the events that made-up machines name, with the same names
python3 "$SONDE_SOURCE/tests/events/trees.py" "$tmp/trees"
for tree in intel arm; do
	export SYSFS_PATH="$tmp/trees/$tree/sys"
	perf list --raw-dump pmu 2>"$tmp/perf-err" | tr ' ' '\n' | grep / | LC_ALL=C sort -u >"$tmp/theirs"
	"$SONDE" list -j pmu | python3 -c '
import json, sys
for e in json.load(sys.stdin):
    print(e["EventName"])
    print(e.get("EventAlias", e["EventName"]))' | LC_ALL=C sort -u >"$tmp/ours"
	for name in $(grep -v '?' "$tmp/theirs"); do
		file=$SYSFS_PATH/bus/event_source/devices/${name%%/*}/events/${name#*/}
		[ -e "${file%/}" ] || continue     # of perf's tables for the processor of this machine
		grep -qxF -e "$name" -e "$(echo "$name" | sed 's|_[0-9]*/|/|')" "$tmp/ours" ||
			fail "$tree: perf lists $name, sonde does not"
	done
	[ "$(grep -c / "$tmp/ours")" -gt 3 ] || fail "$tree: sonde lists no events of PMUs"
	unset SYSFS_PATH
done
