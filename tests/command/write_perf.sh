#!/bin/sh
# SPDX-License-Identifier: MIT
# write_perf.sh - the installed perf and the newest read a perf.data that was written from structs as sonde reads it
. "$SONDE_SOURCE/tests/lib.sh"

need_command perf
newest=${SONDE_NEWEST_PERF:-$SONDE_SOURCE/../shared/tools/newest-perf}
"$SONDE_BUILD/examples/example-write_perf" "$tmp/new.data" || fail 'the example failed'

# @1: a command, whose columns may have other widths
records() {
	"$@" --show-task-events --show-mmap-events -F comm,tid,cpu,time,event,period 2>/dev/null |
		sed 's/  */ /g; s/^ //; s/ $//'
}
records "$SONDE" script "$tmp/new.data" >"$tmp/ours"
[ "$(wc -l <"$tmp/ours")" -eq 1004 ] || fail "sonde script printed $(wc -l <"$tmp/ours") lines, expected 1004"
for perf in perf "$newest"; do
	command -v "$perf" >/dev/null || continue
	records "$perf" script -i "$tmp/new.data" >"$tmp/theirs"
	cmp "$tmp/ours" "$tmp/theirs" || fail "$perf reads something else"
done

# perf before 6.2 prints addresses of a binary that is not there as offsets into it
command -v "$newest" >/dev/null || skip "there is no $newest"
for of in "$SONDE script" "$newest script -i"; do
	# shellcheck disable=SC2086  # several words
	$of "$tmp/new.data" -F comm,tid,ip 2>/dev/null | sed 's/  */ /g; s/ $//' >"$tmp/chains"
	[ -e "$tmp/first" ] || cp "$tmp/chains" "$tmp/first"
done
[ "$(grep -c '[[:space:]]402000$' "$tmp/first")" -eq 1000 ] || fail 'not all call chains'
cmp "$tmp/first" "$tmp/chains" || fail "$newest reads other call chains"
