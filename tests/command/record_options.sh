#!/bin/sh
# SPDX-License-Identifier: MIT
# record_options.sh - options of `sonde record` that perf's users type: obeyed, and seen so by perf where it is
# installed
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
perf=$(command -v perf || :)
cd "$tmp"

run "$SONDE" record -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"
[ -n "$perf" ] || skip_part "there is no perf: what the attrs say is not compared"

# parts of a hardware trace in samples need such a trace
run "$SONDE" record --aux-sample -e cpu-clock -o none.data true
want_status 1
want_err 'no event is a hardware trace of which samples could have parts'
[ ! -e none.data ] || fail "a recording without what was asked for"

# attr REGEX, no_attr REGEX: what perf says of the events of r.data
attr() {
	[ -n "$perf" ] || return 0
	"$perf" evlist -v -i r.data >attrs.txt 2>/dev/null </dev/null || fail "perf evlist ($ran)"
	grep -v '^dummy' attrs.txt | grep -q -E -e "$1" || fail "$ran: no attr matches $1: $(cat attrs.txt)"
}

no_attr() {
	[ -n "$perf" ] || return 0
	"$perf" evlist -v -i r.data >attrs.txt 2>/dev/null </dev/null || fail "perf evlist ($ran)"
	! grep -v '^dummy' attrs.txt | grep -q -E -e "$1" || fail "$ran: an attr matches $1: $(cat attrs.txt)"
}

record() {
	run "$SONDE" record -o r.data "$@" -- "$workload" 0.05
	want_status 0
	cp err record.err
	run "$SONDE" check r.data
	want_out ' 0 errors, 0 warnings, 0 notes$'
	cp record.err err
	ran="record $*"
}

wrong() {
	want=$1
	shift
	run "$SONDE" record "$@"
	want_status 2
	want_err "$want"
}

# ---- an event that this machine lacks ----
record -e 999:0,cpu-clock:u,page-faults:u
want_err '^sonde: cannot record 999:0: this kernel has no such event; the other events are recorded$'
[ "$("$SONDE" evlist r.data)" = "$(printf 'cpu-clock:u\npage-faults:u\ndummy:u')" ] || fail "other events were recorded"
record -e '{cpu-clock:u,999:0},page-faults:u'
[ "$("$SONDE" evlist -g r.data)" = "$(printf 'cpu-clock:u\npage-faults:u\ndummy:u')" ] ||
	fail "a group without one member: $("$SONDE" evlist -g r.data)"
record -e '{999:0,cpu-clock:u},page-faults:u'
[ "$("$SONDE" evlist r.data)" = "$(printf 'page-faults:u\ndummy:u')" ] || fail "a group without its leader was recorded"
for events in 999:0 999:0,998:0 '{999:0,cpu-clock:u}'; do
	run "$SONDE" record -e "$events" -o none.data true
	want_status 1
	want_err '^sonde: cannot record 99[89]:0: this kernel has no such event$'
	[ ! -e none.data ] || fail "-e $events: a recording of nothing"
done

# ---- without call chains ----
record -g --no-call-graph -e cpu-clock:u
no_attr CALLCHAIN

# ---- nothing but counts, or nothing but what comes beside samples ----
record -e cpu-clock:u -n
want_err '\(0 samples\)'
no_attr 'sample_freq \}|sample_period:'
"$SONDE" dump r.data >dump.txt
grep -q ' MMAP2 ' dump.txt || fail "-n: no mapping is recorded"
run "$SONDE" record -q -na -e cpu-clock:u -o r.data -- true
want_status 0

run "$SONDE" record -q -e cpu-clock:u -s -o r.data -- sh -c "'$workload' 0.05; '$workload' 0.05"
want_status 0
attr 'inherit_stat: 1'
attr 'read_format: TOTAL_TIME_ENABLED\|TOTAL_TIME_RUNNING\|ID'
[ "$("$SONDE" dump r.data | grep -c ' READ ')" -ge 2 ] ||
	fail "-s: two tasks have ended, and their counts are not there"
record -e cpu-clock:u --stat
attr 'inherit_stat: 1'

# ---- call chains ----
record -g -e cpu-clock --user-callchains
attr 'exclude_callchain_kernel: 1'
no_attr 'exclude_callchain_user: 1'
record -g -e cpu-clock --kernel-callchains
attr 'exclude_callchain_user: 1'
no_attr 'exclude_callchain_kernel: 1'
run "$SONDE" record -g --user-callchains --kernel-callchains -o s.data true
want_status 2
want_err '^sonde record: --user-callchains and --kernel-callchains exclude each other$'
run "$SONDE" record --all-user --all-kernel -o s.data true
want_status 2
want_err '^sonde record: --all-user and --all-kernel exclude each other$'

# ---- clocks, rates, rings ----
for clock in mono CLOCK_MONOTONIC monotonic; do
	record -e cpu-clock:u --clockid=$clock
	attr 'clockid: 1'
done
record -e cpu-clock:u -F 100,200
want_err '^sonde: -F 100,200: the first number is for all events'
attr 'sample_freq \}: 100,'
record -q -e cpu-clock:u -F 100,200
without_load
want_no_err
record -v -e cpu-clock:u -m 2,2
want_err '; each buffer for samples has 8 KiB$'
record -v -e cpu-clock:u -m 16K,1M
want_err '; each buffer for samples has 16 KiB$'
record -e cpu-clock:u -m ,2
wrong "neither pages nor a size" -m 2,x -e cpu-clock:u true
wrong "neither pages nor a size" -m '' -e cpu-clock:u true
wrong "neither a frequency" -F ,200 true

# the kernel itself lowers its limit on a busy machine, between two commands too: more than it ever permits
rate=1000000
run "$SONDE" record -e cpu-clock:u -F $rate -o r.data true
want_status 0
want_err "^sonde: $rate Hz is lowered to [1-9][0-9]* Hz"
run "$SONDE" record -e cpu-clock:u --strict-freq -F $rate -o s.data true
want_status 1
want_err "more than kernel.perf_event_max_sample_rate permits: [1-9][0-9]*\$"

# ---- mappings without code ----
record -e cpu-clock:u
! "$SONDE" dump r.data | grep -q 'prot: 0x1 READ$' || fail "mappings without code are recorded unasked"
record -e cpu-clock:u --data-mmap
"$SONDE" dump r.data | grep -q 'prot: 0x1 READ$' || fail "--data-mmap: no mapping without code"

# ---- accepted, because it is so anyway ----
record -e cpu-clock:u --sample-identifier --timestamp-boundary --timestamp --force --buildid-all --buildid-mmap -N
attr 'IDENTIFIER'
run "$SONDE" info r.data
want_out '[Tt]ime of (first|last) sample|sample times|SAMPLE_TIME'

# ---- words of an event that perf record takes, too, and does nothing with ----
for event in cpu-clock/nr=5/ cpu-clock/percore/ cpu-clock:b; do
	run "$SONDE" record -e "$event" -o r.data true
	want_status 0
	want_err "^sonde: $event: the (term nr|term percore|modifier b) has no effect on a recording\$"
done
record -e cpu-clock:u
! grep -q 'has no effect' err || failed_run "a word that nobody gave"

# ---- build ids in the records of mappings: as perf's --buildid-mmap writes them ----
record -e cpu-clock:u --buildid-mmap
id=$("$SONDE" dump r.data | sed -n 's/^    build_id: \([0-9a-f]*\).*/\1/p' | sort -u | head -1)
[ -n "$id" ] || fail "--buildid-mmap: no build id in the records of mappings"
if [ -n "$perf" ]; then
	"$perf" script --show-mmap-events -i r.data 2>/dev/null </dev/null | grep -q "<$id>" ||
		fail "--buildid-mmap: perf does not see the build id $id"
fi

# ---- groups ----
record -e cpu-clock:u,page-faults:u --group
if [ -n "$perf" ]; then
	"$perf" report --header-only -i r.data >header.txt 2>/dev/null </dev/null
	grep -q '^# group: .*{cpu-clock:u,page-faults:u}' header.txt ||
		fail "--group: no group in the header: $(grep group header.txt)"
fi

# ---- names of registers ----
for option in --intr-regs=? --user-regs=? '-I?'; do
	run "$SONDE" record "$option"
	want_status 0
	want_no_err
	case $(uname -m) in
	x86_64) want_out '^AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15$' ;;
	aarch64) want_out ' LR SP PC$' ;;
	esac
done
wrong "no 'zz' among [A-Z]" --user-regs=zz true

# ---- nothing is recorded ----
run "$SONDE" record --dry-run -e cpu-clock:u -o dry.data touch touched
want_status 0
want_no_err
[ ! -e dry.data ] && [ ! -e touched ] || fail "--dry-run did something"
wrong "did you mean 'cpu-clock'" --dry-run -e cpu-clok -o dry.data true

# ---- a name with the time in it ----
before=$(date +%Y%m%d%H%M%S)
run "$SONDE" record -e cpu-clock:u --timestamp-filename -o stamped true
want_status 0
name=$(ls stamped.*)
want_err "MB $name "
stamp=${name#stamped.}
[ "${#stamp}" -eq 16 ] && [ "$stamp" -ge "${before}00" ] && [ "$stamp" -le "$(date +%Y%m%d%H%M%S)99" ] ||
	fail "the name is $name"
wrong 'standard output has no name' --timestamp-filename -o - true

# ---- what was there before ----
sleep 300 &
pid=$!
wait_until grep -q -x sleep "/proc/$pid/comm"
"$SONDE" record -q -e cpu-clock:u -p $pid -o all.data sleep 0.1
for synth in no task mmap all task,mmap; do
	run "$SONDE" record -q -e cpu-clock:u -p $pid --synth=$synth -o synth.data sleep 0.1
	want_status 0
	"$SONDE" dump synth.data >dump.txt
	found=
	! grep -q " pid $pid tid $pid COMM " dump.txt || found=task
	! grep -q " pid $pid tid $pid MMAP2 " dump.txt || found=${found:+$found,}mmap
	case $synth in all) want=task,mmap ;; no) want= ;; *) want=$synth ;; esac
	[ "$found" = "$want" ] || fail "--synth=$synth describes '$found'"
done
kill $pid
wrong "is not all, no, or some of" --synth=threads true

# ---- too many files: the command raises its limit, and what it records keeps its own ----
if command -v prlimit >/dev/null 2>&1; then
	run prlimit --nofile=20: "$SONDE" record -q \
		-e cpu-clock:u,task-clock:u,cs:u,faults:u,minor-faults:u,major-faults:u -o files.data \
		awk '/^Max open files/ { print $4 }' /proc/self/limits
	want_status 0
	want_out '^20$'
fi

# ---- as root ----
if [ "$(id -u)" -ne 0 ]; then
	echo "not root: other users' tasks and control groups are not tested"
	exit 0
fi
if command -v setpriv >/dev/null 2>&1; then
	mkdir theirs
	chmod 777 theirs
	chmod 755 "$tmp"
	# the build may lie where others may not go, and so may the directory of temporary files
	cp "$SONDE" theirs/sonde
	as_other() {
		run setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/theirs/sonde" "$@"
	}
	as_other help
	if [ "$status" -ne 0 ]; then
		skip_part "another user cannot start sonde here: $(head -1 "$tmp/err")"
	else
		as_other record -e cpu-clock -p 1 -o theirs/s.data sleep 0.1
		want_status 1
		want_err 'cannot record task 1: it belongs to another user \(uid 0\)'
		! grep -q paranoid "$tmp/err" || failed_run "perf_event_paranoid is not the reason"
	fi
fi

cgroup=$(sed -n 's/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p' /proc/mounts | head -1)
! grep -q '^[^ ]* [^ ]* cgroup [^ ]*perf_event' /proc/mounts ||
	cgroup=$(sed -n 's/^[^ ]* \([^ ]*\) cgroup [^ ]*perf_event.*/\1/p' /proc/mounts | head -1)
# groups_of FILE: ids and names of the control groups of a recording
groups_of() {
	"$SONDE" dump "$1" | sed -n '/ CGROUP /,/^$/p' | grep -E '^ +(id|path):' | sort
}

if [ -n "$cgroup" ] && mkdir "$cgroup/sonde-test-$$" 2>/dev/null; then
	# others may come and go between two recordings: asked five times
	for _ in 1 2 3 4 5; do
		run "$SONDE" record -q -a --all-cgroups -e cpu-clock -o groups.data sleep 0.1
		groups_of groups.data >ours.ids
		[ -n "$perf" ] || break
		"$perf" record -q -a --all-cgroups -e cpu-clock -o perf.data sleep 0.1 2>/dev/null || break
		groups_of perf.data >theirs.ids
		! cmp -s theirs.ids ours.ids || break
	done
	run "$SONDE" record -q -a --all-cgroups --synth=task -e cpu-clock -o none.data sleep 0.1
	rmdir "$cgroup/sonde-test-$$"
	grep -q "/sonde-test-$$\$" ours.ids ||
		fail "--all-cgroups: the control group has no record: $(cat ours.ids)"
	"$SONDE" dump none.data | grep -q ' CGROUP ' && fail "--synth=task describes control groups"
	[ ! -e theirs.ids ] || cmp -s theirs.ids ours.ids ||
		fail "perf knows other control groups: $(diff theirs.ids ours.ids)"
else
	echo "no control group can be made: they are not tested"
fi
