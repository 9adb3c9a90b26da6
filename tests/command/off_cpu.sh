#!/bin/sh
# SPDX-License-Identifier: MIT
# off_cpu.sh - record --off-cpu: the time that threads sleep, in the functions where they do
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/tests/off_cpu_workload
newest=$SONDE_SOURCE/../shared/tools/newest-perf
cd "$tmp"
run "$SONDE" record -q --off-cpu -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "sched:sched_switch cannot be recorded here: $(cat err)"

# slept FUNCTION FILE: ns and samples of the event below this function
slept() {
	"$SONDE" script -F event,period,ip,sym "$2" | awk -v name="$1" '
		$2 == "offcpu-time:" { period = $1; found = 0 }
		$2 == name && !found { found = 1; ns += period; n++ }
		END { print ns + 0, n + 0 }'
}

# agrees FUNCTION REQUESTED MOST LEAST: at least a half of the requested time was slept, and no more than passed. A task
# that loses its CPU before it sleeps may find that its time has come: not each of many sleeps has a sample.
agrees() {
	passed=$(sed -n "s/^$1 //p" out)
	slept "$1" "$file" >slept
	read -r ns n <slept
	[ "$ns" -le "$passed" ] || fail "$file: $ns ns in $1, but only $passed ns passed"
	[ "$ns" -ge $(($2 * 1000000 / 2)) ] || fail "$file: $ns ns in $1, which slept $2 ms"
	{ [ "$n" -le "$3" ] && [ "$n" -ge "$4" ]; } || fail "$file: $n samples of $1, not $4 to $3"
}

for options in '' '--off-cpu-thresh 0' '--off-cpu-thresh 100000' '-z' '--per-thread' '--call-graph dwarf'; do
	file=r$(echo "$options" | tr -d ' ').data
	# shellcheck disable=SC2086
	run "$SONDE" record --off-cpu $options -e cpu-clock:u -o "$file" "$workload"
	want_status 0
	case $options in
	*' 0' | *' dwarf') agrees sleep_often 100 10 5 ;;
	*) agrees sleep_often 100 1 1 ;;
	esac
	agrees sleep_long 600 1 1
	run "$SONDE" check "$file"
	want_status 0
	want_out ' records, 0 errors, 0 warnings, 0 notes$'
done

for perf in perf "$newest"; do
	"$perf" --version >/dev/null 2>&1 || continue
	"$perf" report --stdio -i r.data >perf.out 2>perf.err </dev/null || fail "$perf report -i r.data"
	[ ! -s perf.err ] || fail "$perf says of r.data: $(head -3 perf.err)"
	grep -q "of event 'offcpu-time'" perf.out || fail "$perf report shows no offcpu-time in r.data"
	grep -q sleep_long perf.out || fail "$perf report shows no sleep_long in r.data"
done

# the attr is perf's; its tracepoint is in none of the file
run "$SONDE" evlist -v r.data
want_out '^offcpu-time: type: 1 \(PERF_TYPE_SOFTWARE\), .*config: 0xa \(PERF_COUNT_SW_BPF_OUTPUT\), .*, freq: 1'
! grep -q 'sched' out || failed_run "the tracepoint is in the file"
run "$SONDE" report --stdio r.data
want_status 0
want_out "event 'offcpu-time'"
want_out '^# Event count [(]approx[.][)]: [0-9][0-9]* ns = [0-9.]* ms off the CPU$'

# its weights are nanoseconds everywhere
run "$SONDE" report --html page.html -i r.data
grep -A1 '^{"name":"offcpu-time"' page.html | grep -q '"unit":"ns"' ||
	grep -q '"name":"offcpu-time","unit":"ns"' page.html || fail 'the page counts off-CPU time'
run "$SONDE" export --to pprof --event offcpu-time -o r.pb.gz r.data
zcat r.pb.gz >r.pb
{ grep -aq nanoseconds r.pb && grep -aq offcpu-time r.pb; } || fail 'pprof has no unit for off-CPU time'
run "$SONDE" info r.data
! grep -q 'context switches' out || failed_run "context switches are in the file"

# stacks are copied and unwound as those of other events; perf unwinds the same
n=0
run "$SONDE" evlist -v r--call-graphdwarf.data
want_out '^offcpu-time: .*STACK_USER.*exclude_callchain_user: 1'
for tool in "$SONDE" perf "$newest"; do
	"$tool" --version >/dev/null 2>&1 || continue
	n=$((n + 1))
	"$tool" script --no-inline -F event,ip,sym -i r--call-graphdwarf.data 2>/dev/null </dev/null |
		awk '/^ *offcpu-time/ { on = 1; next } /^ *[^ ]*: *$/ { on = 0 } on && NF { print $2 }' |
		python3 "$SONDE_SOURCE/tests/symbol_names.py" >"stacks$n" # perf takes another name of an address
done
grep -q '^_start' stacks1 || fail "no stack of a sleep goes on to _start: $(head stacks1)"
for i in 2 3; do
	[ ! -s "stacks$i" ] || diff stacks1 "stacks$i" || fail "perf unwinds other stacks"
done

# whole CPUs: a thread that sleeps beside
run "$SONDE" record -q -a --off-cpu -e cpu-clock -o all.data -- "$workload"
want_status 0
file=all.data
agrees sleep_long 600 1 1
run "$SONDE" check all.data
want_status 0

for words in '--off-cpu-thresh x --off-cpu' '--off-cpu-thresh 5' '--off-cpu --overwrite' '--off-cpu --ftrace'; do
	# shellcheck disable=SC2086
	run "$SONDE" record $words -e cpu-clock:u -o no.data true
	want_status 2
	want_err '^sonde record: --off-cpu'
done
