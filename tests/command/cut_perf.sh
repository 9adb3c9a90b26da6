#!/bin/sh
# SPDX-License-Identifier: MIT
# cut_perf.sh - `sonde cut --drop`: perf reads what is left
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
need_corpus
recorded=$SONDE_CORPUS/recorded

# a smaller file, which perf reads as it read the larger one
for name in perf6.1-dwarf perf6.1-many; do
	"$SONDE" cut --drop callchain,stack,regs,raw "$recorded/$name.data" "$tmp/part.data"
	[ "$(stat -c %s "$tmp/part.data")" -lt "$(stat -c %s "$recorded/$name.data")" ] || fail "$name is not smaller"
	perf script -F comm,tid,time,event -i "$recorded/$name.data" >"$tmp/whole" 2>/dev/null
	perf script -F comm,tid,time,event -i "$tmp/part.data" >"$tmp/part" 2>"$tmp/err"
	cmp "$tmp/whole" "$tmp/part" || fail "$name: perf shows other samples"
	"$SONDE" info "$tmp/part.data" >"$tmp/out"
	! grep -E -q 'sample_type = .*(CALLCHAIN|STACK_USER|REGS_USER|RAW)' "$tmp/out" ||
		fail "$name: the attr has what the samples have not"
done
