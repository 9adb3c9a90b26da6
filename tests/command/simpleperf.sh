#!/bin/sh
# SPDX-License-Identifier: MIT
# simpleperf.sh - recordings of Android's simpleperf: their features by name, and the symbols that they have themselves
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
perf=$SONDE_CORPUS/perf

# its features begin at 128, each with its name
run "$SONDE" info --json -i "$perf/aosp-debug_unwind_small_map_range.data"
for name in meta_info debug_unwind debug_unwind_file file2; do
	want_out "\"$name\""
done
run "$SONDE" info --json -i "$perf/aosp-perf_with_symbols.data"
want_out '"file"'

# symbols_of RECORDING SYMBOL...: in report and script, of binaries that are not here
symbols_of() {
	recording=$perf/$1
	shift
	"$SONDE" report --sort dso,sym -i "$recording" >"$tmp/report" 2>/dev/null
	"$SONDE" script -i "$recording" >"$tmp/script" 2>/dev/null
	for symbol in "$@"; do
		grep -q " $symbol\$" "$tmp/report" ||
			fail "report of $recording has no $symbol: $(head -30 "$tmp/report")"
		grep -q " $symbol+0x" "$tmp/script" || fail "script of $recording has no $symbol"
	done
}
symbols_of aosp-lbr-perf_lbr.data main
symbols_of aosp-perf_with_symbols.data main func2
symbols_of aosp-script_perf_test_vmlinux.data _raw_spin_unlock_irq
symbols_of aosp-script_runtest_two_functions_arm64_perf.data Function1 Function2

# also in the other byte order, in which they stay as they are
run "$SONDE" convert --endian big "$perf/aosp-perf_with_symbols.data" "$tmp/big.data"
want_status 0
run "$SONDE" report --sort sym -i "$tmp/big.data"
want_out ' func2$'

# where symbols are looked for by hand, those of the recording are not taken
run "$SONDE" report --symfs "$tmp" --sort sym -i "$perf/aosp-lbr-perf_lbr.data"
! grep -q ' main$' "$tmp/out" || fail "--symfs is not obeyed"

# events by the names that the recording gives them
for name in perf_with_trace_offcpu_v2 debug_unwind_small_map_range perf_with_tracepoint_event; do
	run "$SONDE" evlist -i "$perf/aosp-$name.data"
	want_out '^sched:sched_switch$'
done
run "$SONDE" script -F time,event -i "$perf/aosp-perf_with_trace_offcpu_v2.data"
want_out ' sched:sched_switch:'
! grep -q 'tracepoint 91' "$tmp/out" || fail "an event has its number for a name"
