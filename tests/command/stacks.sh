#!/bin/sh
# SPDX-License-Identifier: MIT
# stacks.sh - recordings with --call-graph dwarf: said, and every sample has a frame, the one at which perf's begins
. "$SONDE_SOURCE/tests/lib.sh"

workload=$SONDE_BUILD/bench/workload
"$SONDE" record --call-graph dwarf,4096 -e cpu-clock -F 1000 -o "$tmp/dwarf.data" -- "$workload" 0.4 >/dev/null \
	2>"$tmp/err" ||
	skip "cannot record: $(cat "$tmp/err")"
"$SONDE" record -g -e cpu-clock -F 1000 -o "$tmp/fp.data" -- "$workload" 0.2 >/dev/null 2>&1
sentence='dwarf.data: recorded with --call-graph dwarf: these stacks are not unwound yet, so callers .* are missing$'

for words in report script export 'report --json' "report --html=$tmp/page.html"; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" ${words%% *} "$tmp/dwarf.data" ${words#"${words%% *}"}
	want_status 0
	want_err "$sentence"
	# shellcheck disable=SC2086 # words
	run "$SONDE" ${words%% *} "$tmp/fp.data" ${words#"${words%% *}"}
	if grep -q unwound "$tmp/err"; then failed_run 'these stacks need no unwinding'; fi
done
grep -q 'does not unwind these stacks yet' "$tmp/page.html" && fail 'the page of frame pointers speaks of dwarf'
"$SONDE" report --html="$tmp/page.html" "$tmp/dwarf.data" 2>/dev/null
grep -q 'does not unwind these stacks yet' "$tmp/page.html" || fail 'the page says nothing of dwarf'
run "$SONDE" script -G "$tmp/dwarf.data"
if grep -q unwound "$tmp/err"; then failed_run 'no chain was asked for'; fi

# heads and the first frame below each; a head without a frame stands alone
first_frames() {
	awk '/^[^\t ]/ { if (head) print head; head = $0; next }
		/^\t/ && head { print head, $1; head = "" }
		END { if (head) print head }' |
		sed 's/  */ /g' | LC_ALL=C sort
}
"$SONDE" script -F comm,tid,time,event,ip "$tmp/dwarf.data" 2>/dev/null | first_frames >"$tmp/ours"
[ "$(wc -l <"$tmp/ours")" -gt 10 ] || fail "only $(wc -l <"$tmp/ours") samples"
if grep -q ': *$' "$tmp/ours"; then fail "samples without a frame: $(grep -c ': *$' "$tmp/ours")"; fi
perf=${SONDE_NEWEST_PERF:-$SONDE_CORPUS/../tools/newest-perf}  # 6.1 prints offsets of user addresses
if [ -x "$perf" ]; then
	"$perf" script -F comm,tid,time,event,ip -i "$tmp/dwarf.data" 2>/dev/null | first_frames >"$tmp/theirs"
	diff "$tmp/ours" "$tmp/theirs" >"$tmp/diff" || fail "other first frames than perf: $(head -6 "$tmp/diff")"
fi
