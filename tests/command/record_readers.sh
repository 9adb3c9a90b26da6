#!/bin/sh
# SPDX-License-Identifier: MIT
# record_readers.sh - recordings as programs beside sonde take them: unwinding, trailers, other sessions at the same
# time
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
hotspot=
for dir in /usr/lib/*/libexec /usr/libexec /usr/lib/libexec; do
	[ ! -x "$dir/hotspot-perfparser" ] || hotspot=$dir/hotspot-perfparser
done
cd "$tmp"

run "$SONDE" record -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"

# ---- stacks for unwinding: mappings without code are in the recording, because .eh_frame lies there ----
run "$SONDE" record --call-graph dwarf -e cpu-clock:u -o stacks.data -- "$workload" 0.2
want_status 0
if command -v perf >/dev/null 2>&1; then
	perf script -F ip,sym -i stacks.data >stacks.txt 2>/dev/null </dev/null || fail "perf script of stacks"
	grep -q ' main$' stacks.txt || fail "perf does not unwind up to main"
else
	echo "no perf: unwinding is not tested"
fi
run "$SONDE" record -q --call-graph dwarf -e cpu-clock:u -o stacks.data true
without_load
want_no_err
run "$SONDE" record --call-graph fp -e cpu-clock:u -o chains.data true
want_status 0
without_load
! grep -q "^sonde: " "$tmp/err" || failed_run "these stacks need no unwinding"

# ---- deferred call chains: asked for as by perf, and left out where the kernel refuses them ----
"$SONDE" record --dry-run -vv --call-graph fp,defer -e cpu-clock,cs true 2>&1 | grep -E '^  (config|defer_)' >asked
case $(sed 's/  */ /g' asked | tr '\n' ';') in
*CLOCK'); defer_callchain 1; defer_output 1; config '*SWITCHES*'; defer_callchain 1; config '*DUMMY*) ;;
*) fail "the attrs for deferred call chains: $(cat asked)" ;;
esac
run "$SONDE" record --call-graph fp,100,defer -e cpu-clock -o deferred.data true
want_status 0
"$SONDE" evlist -v deferred.data >attrs
if ! grep -q 'defer_callchain: 1, defer_output: 1' attrs; then
	want_err '^sonde: this kernel cannot defer call chains, as Linux 6.19 does: each sample has its whole '
	! grep -q defer attrs || fail "an attr of deferred call chains that was not opened"
fi
run "$SONDE" check deferred.data
want_out ', 0 errors, 0 warnings, 0 notes$'
for how in fp,x "fp," "fp,defer," dwarf,defer lbr,defer; do
	run "$SONDE" record --call-graph "$how" -e cpu-clock -o no.data true
	want_status 2
done

# The processor's branch records cannot be both at once. Few machines have them: the attr's unit test says what is asked
# for then.
run "$SONDE" record --call-graph lbr -b -e cpu-clock -o branches.data true
want_err '^sonde: the processor.s branch records cannot hold stacks and other branches at once: call chains '

# ---- as root ----
if [ "$(id -u)" -ne 0 ]; then
	echo "not root: tracepoints and system-wide recordings are not tested"
	exit 0
fi
if [ ! -r /sys/kernel/tracing/events ] && [ ! -r /sys/kernel/debug/tracing/events ]; then
	echo "no tracefs: tracepoints are not tested"
	exit 0
fi

# hotspot looks at the first event only to know how every record ends
parsed() {
	[ -n "$hotspot" ] || return 0
	run "$SONDE" record -q "$@" -o parsed.data -- "$workload" 0.1
	want_status 0
	"$hotspot" --input parsed.data --output parsed.out >parser.txt 2>&1 </dev/null ||
		fail "hotspot-perfparser: $ran: $(cat parser.txt)"
	! grep -q -E 'not fully parsed|maxSize|bad event' parser.txt ||
		fail "hotspot-perfparser: $ran: $(cat parser.txt)"
}
[ -n "$hotspot" ] || echo "no hotspot-perfparser: how it reads recordings is not tested"
parsed -e sched:sched_switch
parsed -e sched:sched_switch,cpu-clock
parsed -e cpu-clock,sched:sched_switch
parsed -e cpu-clock -g

# ---- build ids: in every record of a mapping, not by attr.build_id, with which the kernel spoils other sessions ----
run "$SONDE" record -q -a -e cpu-clock -o ids.data -- "$workload" 0.1
want_status 0
if command -v readelf >/dev/null 2>&1; then
	id=$(readelf -n "$workload" 2>/dev/null | sed -n 's/.*Build ID: //p')
	"$SONDE" dump ids.data >ids.txt
	grep -q "^    build_id: $id\$" ids.txt || fail "the build id of the workload is not in its mapping"
fi
if command -v perf >/dev/null 2>&1; then
	perf evlist -v -i ids.data >attrs.txt 2>/dev/null </dev/null || fail "perf evlist of ids.data"
	! grep -q 'build_id: 1' attrs.txt || fail "an event has attr.build_id: $(cat attrs.txt)"
	perf report -i ids.data --stdio >/dev/null 2>perf.err </dev/null ||
		fail "perf report of ids.data: $(cat perf.err)"
fi
