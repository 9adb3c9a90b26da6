#!/bin/sh
# SPDX-License-Identifier: MIT
# host_features.sh - the features and first records of a recording that tell of the machine: of a sysfs tree made by
# hand, and of this machine as perf tells it
. "$SONDE_SOURCE/tests/lib.sh"
newest=$SONDE_SOURCE/../shared/tools/newest-perf
cd "$tmp"
run "$SONDE" record -q -e cpu-clock:u -o r.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat err)"

# put FILE TEXT: a file of the tree
put() {
	mkdir -p "sys/$(dirname "$1")"
	printf '%s\n' "$2" >"sys/$1"
}

# sound FILE: no broken rule, and every perf reads it
sound() {
	run "$SONDE" check "$1"
	want_status 0
	want_out ' records, 0 errors, 0 warnings, 0 notes$'
	for perf in perf "$newest"; do
		"$perf" --version >/dev/null 2>&1 || continue
		"$perf" report -I --header-only -i "$1" >perf.out 2>perf.err </dev/null || fail "$perf report $1"
		[ ! -s perf.err ] || fail "$perf says of $1: $(head -3 perf.err)"
		"$perf" script -i "$1" >/dev/null 2>perf.err </dev/null || fail "$perf script $1: $(head -3 perf.err)"
	done
}

# updates FILE: the records EVENT_UPDATE, a line each, without ids
updates() {
	"$SONDE" dump "$1" | awk '
		/^0x/ { if (line) print line; line = ""; inside = / EVENT_UPDATE / }
		inside && /^ / && !/ id:/ { gsub(/^ +/, ""); line = line (line ? ", " : "") $0 }
		END { if (line) print line }'
}

# ---- this machine ----
run "$SONDE" info r.data
# perf 6.1 knows neither E_MACHINE nor CLN_SIZE: they are there only where they tell more than ARCH and 64 bytes
case $(uname -m) in
x86_64 | aarch64 | s390x) grep -q e_machine out && fail "E_MACHINE says what ARCH says" ;;
esac
[ "$(getconf LEVEL1_DCACHE_LINESIZE 2>/dev/null)" != 64 ] || ! grep -q '^# cacheline' out || fail "CLN_SIZE of 64 bytes"
updates r.data >of_clock
[ "$(wc -l <of_clock)" -eq 2 ] || fail "the records of cpu-clock's unit: $(cat of_clock)"
grep -q 'UNIT, unit: msec$' of_clock || fail "no unit of cpu-clock: $(cat of_clock)"
grep -q 'scale: 9.9999999999999995e-07' of_clock || fail "no scale of cpu-clock: $(cat of_clock)"
sound r.data
if "$newest" record -q -e cpu-clock:u -o perf.data true >perf.out 2>&1; then
	for file in r perf; do
		"$newest" report -I --header-only -i $file.data 2>/dev/null </dev/null |
			grep -E '^# +(e_machine|e_flags|cacheline)' >$file.lines || :  # none in ours
		"$newest" script -D -i $file.data 2>/dev/null </dev/null | grep -A3 EVENT_UPDATE |
			grep -E '^\.\.\. (unit|scale)' >>$file.lines
	done
	grep -q e_machine perf.lines || fail "perf tells nothing of the machine"
	grep -E '^# +(e_machine|e_flags|cacheline)' r.lines | grep -vFxf perf.lines >differences &&
		fail "other facts than in perf's recording: $(cat differences)"
	for file in r perf; do
		grep '^\.\.\.' $file.lines >$file.updates
	done
	diff perf.updates r.updates >differences || fail "other facts than in perf's recording: $(cat differences)"
fi

# ---- a machine with cores of two kinds, and a unit outside of the cores ----
cpus=$(cat /sys/devices/system/cpu/online)
put devices/system/cpu/online "$cpus"
put devices/system/cpu/cpu0/cache/index0/coherency_line_size 128
pmus=bus/event_source/devices
put $pmus/cpu_core/type 4
put $pmus/cpu_core/cpus 0-3
put $pmus/cpu_core/caps/branches 32
put $pmus/cpu_core/caps/pmu_name alderlake_hybrid
put $pmus/cpu_atom/type 10
put $pmus/cpu_atom/cpus 4-11
put $pmus/cpu_atom/caps/max_precise 3
# its number is that of the software events, so that the kernel has the event
put $pmus/uncore_made/type 1
put $pmus/uncore_made/cpumask 0
put $pmus/uncore_made/events/energy config=0
put $pmus/uncore_made/events/energy.unit Joules
put $pmus/uncore_made/events/energy.scale 2.5e-10
run env "SYSFS_PATH=$tmp/sys" "$SONDE" record -q -e cpu-clock:u -o hybrid.data true
want_status 0
sound hybrid.data
run "$SONDE" info -I hybrid.data
want_out '^# hybrid cpu system:'
want_out '^# cpu_core cpu list : 0-3'
want_out '^# cpu_atom cpu list : 4-11'
want_out '^# cpu_core pmu capabilities: branches=32, pmu_name=alderlake_hybrid$'
want_out '^# cpu_atom pmu capabilities: max_precise=3$'
want_out '^# cacheline size: 128$'
if [ "$(id -u)" -eq 0 ]; then
	run env "SYSFS_PATH=$tmp/sys" "$SONDE" record -q -a -e uncore_made/energy/ -o uncore.data true
	want_status 0
	sound uncore.data
	updates uncore.data >of_unit
	grep -q 'UNIT, unit: Joules$' of_unit || fail "no unit: $(cat of_unit)"
	grep -q 'scale: 2.5000000000000002e-10' of_unit || fail "no scale: $(cat of_unit)"
	grep -q 'CPUS, cpu\[0\]: 0$' of_unit || fail "no CPUs: $(cat of_unit)"
else
	skip_part "not root: an event of whole CPUs is not recorded"
fi

# ---- cores of one kind: no hybrid ----
rm -r sys/$pmus/cpu_core sys/$pmus/cpu_atom
put $pmus/cpu/type 4
put $pmus/cpu/caps/branches 16
put $pmus/cpu/caps/max_precise 2
run env "SYSFS_PATH=$tmp/sys" "$SONDE" record -q -e cpu-clock:u -o one.data true
want_status 0
sound one.data
run "$SONDE" info -I one.data
want_out '^# cpu pmu capabilities: branches=16, max_precise=2$'
! grep -q 'hybrid cpu' out || failed_run "one kind of cores is no hybrid"
want_out '^# missing features: .* HYBRID_TOPOLOGY PMU_CAPS'
