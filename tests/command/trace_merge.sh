#!/bin/sh
# SPDX-License-Identifier: MIT
# trace_merge.sh - `sonde merge` of trace.dat files: the parts of one file, host and guest, files that have nothing to
# do with each other
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
recorded=$SONDE_CORPUS/recorded

# events FILE: how many, after a check that finds nothing wrong
events() {
	run "$SONDE" check --json "$1"
	want_out '"warnings":0,"errors":0,'
	sed 's/.*"records":\([0-9]*\),.*/\1/' "$tmp/out"
}

accepted() {
	command -v trace-cmd >/dev/null 2>&1 || { skip_part "there is no trace-cmd"; return 0; }
	run trace-cmd dump --validate -i "$tmp/all.dat"
	want_out 'is a valid trace-cmd file'
}

# a file in two parts, and together again: the same text
for f in tc3.1-t7_inst tc3.1-t6_inst s390x-t7 armhf-t7inst; do
	file=$recorded/$f.dat
	run "$SONDE" script "$file"
	cp "$tmp/out" "$tmp/whole"
	at=$(sed -n "$(($(wc -l <"$tmp/out") / 2))p" "$tmp/out" | grep -o ' [0-9]*\.[0-9]*:' | head -n 1 | tr -d ' :')
	"$SONDE" cut --time ",$at" "$file" "$tmp/one.dat" 2>/dev/null
	"$SONDE" cut --time "$at," "$file" "$tmp/two.dat" 2>/dev/null
	run "$SONDE" merge -o "$tmp/all.dat" "$tmp/two.dat" "$tmp/one.dat"
	want_status 0
	sum=$(($(events "$tmp/one.dat") + $(events "$tmp/two.dat")))
	[ "$(events "$tmp/all.dat")" -eq "$sum" ] || fail "$f: events of the parts"
	accepted
	run "$SONDE" script "$tmp/all.dat"
	# the instant of the cut can be in both parts
	sort -u "$tmp/out" >"$tmp/got"
	sort -u "$tmp/whole" | cmp - "$tmp/got" || fail "$f: another text than that of the whole"
done

# host and guest, by what was measured between their clocks
run "$SONDE" merge -o "$tmp/all.dat" "$recorded/tc3.4-t7_hostsync.dat" "$recorded/tc3.4-t7_hostsync-guest1.dat"
want_status 0
want_no_err
accepted
both=$(($(events "$recorded/tc3.4-t7_hostsync.dat") + $(events "$recorded/tc3.4-t7_hostsync-guest1.dat")))
[ "$(events "$tmp/all.dat")" -eq "$both" ] ||
	fail 'events of host and guest'
run "$SONDE" script "$tmp/all.dat"
want_out '^ *tc3.4-t7_hostsync-guest1: .* 6\.415811: softirq_raise: '

# others: both have their buffers, and what is not known is said
run "$SONDE" merge -o "$tmp/all.dat" "$recorded/tc3.1-t7_inst.dat" "$recorded/tc3.1-t6_clock_tai.dat"
want_status 0
want_err 'of another session, or of none'
run "$SONDE" merge -o "$tmp/all.dat" "$recorded/tc3.1-t7_inst.dat" "$recorded/tc3.1-t6.dat"
want_status 0
accepted
both=$(($(events "$recorded/tc3.1-t7_inst.dat") + $(events "$recorded/tc3.1-t6.dat")))
[ "$(events "$tmp/all.dat")" -eq "$both" ] || fail 'events of both'

# other machines
run "$SONDE" merge -o "$tmp/none.dat" "$recorded/tc3.1-t7_inst.dat" "$recorded/s390x-t7.dat"
want_status 1
[ ! -e "$tmp/none.dat" ] || fail 'a failed run left a file'
