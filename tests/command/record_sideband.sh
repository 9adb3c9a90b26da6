#!/bin/sh
# SPDX-License-Identifier: MIT
# record_sideband.sh - what a recording says of tasks: from all CPUs, whichever are measured
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"

run "$SONDE" record -q -a -e cpu-clock -o probe.data true
[ "$status" -eq 0 ] || skip "CPUs cannot be recorded here: $(cat err)"

# cpus_of TYPE: the CPUs of records of this type that the kernel wrote, not the recorder
cpus_of() {
	"$SONDE" dump r.data | sed -n "s/^0x[0-9a-f]* [0-9.]*[1-9][0-9.]* cpu \\([0-9]*\\) .* $1 misc .*/\\1/p" |
		sort -u | tr '\n' ' '
}

# a task that begins on another CPU than the measured one may come to it
if command -v taskset >/dev/null 2>&1 && taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null; then
	run "$SONDE" record -q -C 0 -e cpu-clock -o r.data -- taskset -c 1 sleep 0.2
	want_status 0
	[ "$(cpus_of SAMPLE)" = '0 ' ] || fail "samples of CPUs $(cpus_of SAMPLE)"
	case " $(cpus_of MMAP2)" in
	*' 1 '*) ;;
	*) fail "mappings of CPUs $(cpus_of MMAP2)only" ;;
	esac
	run "$SONDE" check r.data
	want_out ', 0 errors, 0 warnings, 0 notes$'
	run "$SONDE" info r.data
	want_out '^# event *: cpu-clock, 1 id$'
else
	skip_part "there is no taskset, or one CPU only"
fi

run "$SONDE" record -q --no-bpf-event -e cpu-clock -o r.data true
want_status 0
run "$SONDE" evlist -v r.data
want_out 'mmap2'
! grep -q 'bpf_event' "$tmp/out" || failed_run "BPF programs are recorded all the same"

# perf report --latency looks for context switches
run "$SONDE" record -q --latency -e cpu-clock:u -o r.data sh -c 'sleep 0.01; sleep 0.01'
want_status 0
run "$SONDE" evlist -v r.data
want_out 'context_switch: 1'
run "$SONDE" record --latency -a -e cpu-clock:u -o a.data true
want_status 2
want_err '^sonde record: --latency: this is not for -a'
run "$SONDE" report --stats r.data
want_out '^ +SWITCH events: '
