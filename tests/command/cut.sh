#!/bin/sh
# SPDX-License-Identifier: MIT
# cut.sh - `sonde cut`: names, events
. "$SONDE_SOURCE/tests/lib.sh"

run "$SONDE" cut --time 1,2 "$tmp/none"
want_status 2
run "$SONDE" cut --drop everything "$tmp/none" "$tmp/out.data"
want_status 2
want_err "not 'everything'"
run "$SONDE" cut --time 1,2 "$tmp/none" "$tmp/out.data"
want_status 1
[ ! -e "$tmp/out.data" ] || fail "a failed run left a file behind"

need_corpus
recorded=$SONDE_CORPUS/recorded

for wanted in sched_swich sched:sched_swich; do
	run "$SONDE" cut --event "$wanted" "$recorded/perf6.1-sched.data" "$tmp/out.data"
	want_status 2
	want_err "there is no event '$wanted'; did you mean 'sched:sched_switch'\?"
	want_err '^There are: sched:sched_switch, '
	[ ! -e "$tmp/out.data" ] || fail "a cut of no event left a file behind"
done

# same_text OPTION-OF-CUT OPTION-OF-SCRIPT VALUE FILE: both choose the same samples
same_text() {
	"$SONDE" cut "$1" "$3" "$recorded/$4" "$tmp/part.data"
	"$SONDE" script "$2" "$3" "$recorded/$4" >"$tmp/whole"
	"$SONDE" script "$tmp/part.data" >"$tmp/part"
	[ -s "$tmp/part" ] || fail "$1 $3 of $4: nothing is left"
	cmp -s "$tmp/whole" "$tmp/part" || fail "$1 $3 of $4: not the same text"
}
same_text --comm --comms worker-0 perf6.1-sched.data
same_text --cpu --cpu 0 perf6.1-sched.data
same_text --cpu --cpu 0 perf6.1-zfile.data

"$SONDE" cut --event sched:sched_switch "$recorded/perf6.1-sched.data" "$tmp/part.data"
"$SONDE" script "$recorded/perf6.1-sched.data" | grep ' sched:sched_switch: ' >"$tmp/whole"
"$SONDE" script "$tmp/part.data" >"$tmp/part"
cmp "$tmp/whole" "$tmp/part" || fail "--event: not the same samples"
