#!/bin/sh
# SPDX-License-Identifier: MIT
# list.sh - the events of this machine and of made-up ones, as text, as JSON and for completion
. "$SONDE_SOURCE/tests/lib.sh"
need_command python3
export PYTHONDONTWRITEBYTECODE=1

python3 "$SONDE_SOURCE/tests/events/trees.py" "$tmp/trees"

# tree NAME WORD...: sonde list of a made-up machine
tree() {
	name=$1
	shift
	run env "SYSFS_PATH=$tmp/trees/$name/sys" "TRACEFS_PATH=$tmp/trees/$name/tracing" "$SONDE" list "$@"
	want_status 0
}

# every kernel has these
run "$SONDE" list sw
want_status 0
want_no_err
want_out '^  context-switches OR cs +\[Software event\]$'
want_out '^  duration_time +\[Tool event\]$'
grep -q 'cycles' "$tmp/out" && failed_run "a hardware event among the software events"

# kinds, parts of names, globs, PMUs
tree intel hw
want_out '^  cpu-cycles OR cycles +\[Hardware event\]$'
tree intel cache
want_out '^  L1-dcache-load-misses +\[Hardware cache event\]$'
[ "$(grep -c 'Hardware cache event' "$tmp/out")" -eq 32 ] || failed_run "not 32 cache events"
tree intel pmu
want_out '^  mem-loads OR cpu/mem-loads/ +\[Kernel PMU event\]$'
want_out '^  uncore_imc/cas_count_read/ +\[Kernel PMU event\]$'
want_out '^  intel_pt// +\[Kernel PMU event\]$'
tree intel --details mem-loads
want_out '^ +cpu/event=0xcd,umask=0x1,ldlat=3/$'
tree intel 'sched:*switch'
[ "$(grep -c Tracepoint "$tmp/out")" -eq 2 ] || failed_run "not the heading and one tracepoint"
tree intel --unit power
[ "$(grep -c 'Kernel PMU event' "$tmp/out")" -eq 2 ] || failed_run "not the two events of the PMU"
tree intel pmu:uncore
[ "$(grep -c 'Kernel PMU event' "$tmp/out")" -eq 3 ] || failed_run "not the three events of the unit"
tree arm dmc620
want_out '^  dmc620_10008c000/asks,event=\?/ '

# perf's words for kinds are no names of events, also where a machine has none of the kind
for word in hw hardware sw software tool cache hwcache pmu raw breakpoint tracepoint metric metrics metricgroup \
	metricgroups sdt; do
	tree intel "$word"
	! grep -q 'is called so' "$tmp/err" || failed_run "taken for an event"
done
run "$SONDE" list no-such-event
want_status 1
want_err '^sonde: no event of this machine is called so: no-such-event$'

# the fields of a tracepoint
tree intel -v sched:sched_switch
want_out '^ +int pid$'
grep -q common_pid "$tmp/out" && failed_run "a field that all tracepoints have"
tree intel --no-desc cs
grep -q '\[Context' "$tmp/out" && failed_run "--no-desc prints descriptions"

# a machine without hardware counters says so, and has the answer for who asks
rm -r "$tmp/trees/amd/sys/bus/event_source/devices/cpu"
tree amd
want_out '^[0-9]+ more events cannot be counted now: this machine has no hardware counters'
grep -q 'cpu-cycles' "$tmp/out" && failed_run "cpu-cycles is listed without a PMU"
tree amd cycles
want_out '^ +Not here: this machine has no hardware counters, as is normal in a virtual machine$'
tree amd --all hw
want_out '^  cpu-cycles OR cycles '

# JSON; names of one line
tree hybrid --json
python3 - "$tmp/out" <<'PY' || fail "the JSON of sonde list"
import json
import sys
events = {e.get("EventName"): e for e in json.load(open(sys.argv[1], encoding="utf-8"))}
data = events["uncore_imc_free_running_0/data_read/"]
assert data["Encoding"] == "uncore_imc_free_running_0/event=0xff,umask=0x20/", data
assert data["ScaleUnit"] == "6.103515625e-5MiB", data
assert data["Unit"] == "uncore_imc_free_running_0" and data["EventType"] == "Kernel PMU event", data
assert events["sched:sched_switch"]["Encoding"] == "tracepoint/config=0x13c/"
assert "field:int pid;" in events["sched:sched_switch"]["PublicDescription"]
assert events["cs"]["EventAlias"] == "context-switches"
PY
tree intel --raw-dump hw
want_out '^cycles cpu-cycles .*ref-cycles$'
tree intel -o "$tmp/list" cs
want_no_out
grep -q 'context-switches OR cs' "$tmp/list" || fail "-o wrote no list"

# every name of the list is an event string
tree intel --raw-dump hw sw cache pmu tracepoint
# shellcheck disable=SC2046
for name in $(cat "$tmp/out"); do
	printf ' -e %s' "$name"
done >"$tmp/events"
# shellcheck disable=SC2046
run env "SYSFS_PATH=$tmp/trees/intel/sys" "TRACEFS_PATH=$tmp/trees/intel/tracing" "$SONDE" record --dry-run \
	$(cat "$tmp/events") true
want_status 0

# what is not there; hostile trees
run "$SONDE" list no-such-event-at-all
want_status 1
want_err 'no event of this machine is called so: no-such-event-at-all'
run env SYSFS_PATH=/nonexistent TRACEFS_PATH=/nonexistent "$SONDE" list
want_status 0
want_out 'cs +\[Software event\]'
printf 'event=0x1\033[2J,umask\n' >"$tmp/trees/hybrid/sys/bus/event_source/devices/cpu_core/events/esc"
head -c 70000 /dev/zero | tr '\0' 'a' >"$tmp/trees/hybrid/sys/bus/event_source/devices/cpu_core/events/long"
: >"$tmp/trees/hybrid/sys/bus/event_source/devices/cpu_core/events/empty"
tree hybrid --details pmu
LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" && failed_run "a control byte of sysfs reaches the terminal"
run "$SONDE" list -o /nonexistent/file
want_status 1

# a vendor's names for events, in sonde list and as event strings
mkdir "$tmp/vendor"
cat >"$tmp/vendor/pipeline.json" <<'JSON'
[
  {"EventName": "INST_RETIRED.ANY_P", "EventCode": "0xC0", "UMask": "0x01", "BriefDescription": "Retired instructions"},
  {"EventName": "UNC_CAS.RD", "Unit": "iMC", "EventCode": "0x04", "UMask": "0x03", "ScaleUnit": "6.1E-5MB"},
  {"EventName": "OLD", "EventCode": "0x1", "Deprecated": "1"},
  {"MetricName": "IPC", "MetricExpr": "inst_retired.any_p / cycles", "MetricGroup": "Summary"}
]
JSON
tree intel --event-file "$tmp/vendor" --details pmu metric
want_out '^pipeline:$'
want_out '^ +cpu/event=0xc0,umask=0x1/$'
want_out '^ +\[Retired instructions\]$'
want_out '^  IPC +\[Metric\]$'
grep -q '^  old ' "$tmp/out" && failed_run "a deprecated event is listed"
for word in metric metrics; do
	tree intel --event-file "$tmp/vendor" $word
	want_out '^  IPC +\[Metric\]$'
	want_out '^  insn_per_cycle +\[Metric\]$'
done
for word in metricgroup metricgroups; do
	tree intel --event-file "$tmp/vendor" $word
	want_out '^Summary$'
	[ "$(wc -l <"$tmp/out")" -eq 2 ] || failed_run "more than a heading and a group"
	tree intel $word
	want_no_out
	want_err '^sonde: no group of metrics is known: --event-file'
done
run env "SYSFS_PATH=$tmp/trees/intel/sys" "$SONDE" record --dry-run -v --event-file "$tmp/vendor/pipeline.json" \
	-e INST_RETIRED.ANY_P:u,unc_cas.rd,cpu/old,umask=2/ true
want_status 0
want_err '^  config  +0x1c0$'
want_err '^  type  +21 \(uncore_imc_1\)$'
want_err '^  config  +0x201$'
echo '[{"EventName":' >"$tmp/broken.json"
run "$SONDE" list --event-file "$tmp/broken.json"
want_status 1
want_err 'broken.json is no table of events in JSON'
run "$SONDE" record --dry-run --event-file /nonexistent true
want_status 1
want_err 'cannot read /nonexistent'
