#!/bin/sh
# SPDX-License-Identifier: MIT
# record_threads.sh - `sonde record --threads`: threads that empty the rings of some CPUs into files of their own
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
newest=$SONDE_SOURCE/../shared/tools/newest-perf
cd "$tmp"

run "$SONDE" record -q -e cpu-clock -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat err)"
readers=
for perf in perf "$newest"; do
	if command -v "$perf" >/dev/null 2>&1; then
		readers="$readers $perf"
	fi
done
[ -n "$readers" ] || echo "no perf: its view of the directories is not tested"
first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
last=$(taskset -pc $$ | sed 's/.*[-,: ]//')

# samples READER DIRECTORY
samples() {
	"$1" script -F event -i "$2" 2>reader_err </dev/null | grep -c 'cpu-clock' || :
}

# whole DIRECTORY: it is valid, and every reader finds the samples that the closing line has counted
whole() {
	said=$(sed -n 's/.*(\([0-9]*\) samples) \]$/\1/p' err)
	[ "$said" -gt 0 ] || fail "no samples: $(cat err)"
	run "$SONDE" check "$1"
	want_status 0
	want_out ', 0 errors, 0 warnings, 0 notes$'
	for reader in "$SONDE" $readers; do
		n=$(samples "$reader" "$1")
		[ "$n" = "$said" ] || fail "$reader: $n samples of $1, $said were counted"
		! grep -i -E 'warning|error|corrupt|truncated|out of order' reader_err ||
			fail "$reader complains about $1"
	done
}

# ---- who has which buffers; each recording renames the one before ----
for spec in '' =package "=$last/$first"; do
	run "$SONDE" record "--threads$spec" -g -e cpu-clock -o d "$workload" 0.1
	want_status 0
	[ -f d/data ] && [ -f d/data.0 ] || fail "--threads$spec: $(ls d)"
	whole d
done
[ -f d.old/data.0 ] || fail "the recording before is not d.old"
"$SONDE" info d >info
grep -q 'directory mode' info || fail "$(cat info)"
grep -q '^# directory data version : 1$' info || fail "the feature DIR_FORMAT is not there"
"$SONDE" buildid-list -i d | grep -q '/workload$' || fail "no build id of the command"

# ---- compressed, and finished by the end of a task ----
run "$SONDE" record --threads -z -g -e cpu-clock -o packed "$workload" 0.2
want_status 0
whole packed
"$workload" 300 &
task=$!
"$SONDE" record -q --threads -e cpu-clock -o task -p $task &
pid=$!
recorded() {
	[ "$(samples "$SONDE" task)" -gt 0 ]
}
wait_until recorded
kill $task
wait $pid || fail "the recording of a task that has ended: status $?"

# ---- the threads run where they are told to ----
# placed: both threads of the reader run on the last CPU only
placed() {
	[ "$(grep -l "^Cpus_allowed_list:[[:space:]]*$last\$" /proc/"$pid"/task/*/status 2>/dev/null | wc -l)" -eq 2 ]
}
if [ "$first" != "$last" ]; then
	"$SONDE" record -q "--threads=$first/$last" -e cpu-clock -o placed.data sleep 60 &
	pid=$!
	wait_until placed
	kill -INT $pid
	wait $pid || :
else
	echo "there is one CPU only: threads have no choice"
fi

# ---- the recorder's system calls are not recorded, whichever of its threads makes them ----
if "$SONDE" record -q --threads -a -e raw_syscalls:sys_enter -o calls sleep 0.2 2>/dev/null; then
	"$SONDE" script -F comm -i calls >comms
	! grep -x ' *sonde' comms || fail "the recorder has recorded itself"
else
	echo "no tracepoints of the whole system here"
fi

# ---- killed: what was flushed is there ----
setsid "$SONDE" record -q --threads -z -e cpu-clock -o killed "$workload" 300 &
pid=$!
flushed() {
	[ "$(samples "$SONDE" killed)" -gt 0 ]
}
wait_until flushed
kill -9 -$pid
wait $pid || :
left=$(samples "$SONDE" killed)
[ "$left" -gt 0 ] || fail "nothing is left of a killed recorder"
run "$SONDE" repair -q killed mended
want_status 0
[ "$(samples "$SONDE" mended)" = "$left" ] || fail "repair has lost samples"
run "$SONDE" check mended
want_out ', 0 errors, 0 warnings, 0 notes$'

# ---- refused ----
# refused TEXT OPTION...
refused() {
	text=$1
	shift
	run "$SONDE" record "$@" -e cpu-clock true
	want_status 2
	want_err "$text"
}
for spec in foo 0 / 0/ /0 0/0: 0-1; do
	refused "--threads: '$spec' is not cpu, core, package, numa or CPUS/CPUS" "--threads=$spec"
done
refused "gives the buffer of a CPU to two threads" --threads=0-1/0:1/1
refused "this is not for standard output" --threads -o -
for option in --switch-output --overwrite --snapshot --off-cpu --per-thread --affinity=cpu --ftrace; do
	refused "--threads: this is not for (--overwrite and )?${option%=*}" --threads $option
done
run "$SONDE" record --threads=1000/0 -e cpu-clock -o none true
want_status 1
want_err "'1000/0' names no CPU that is recorded"
[ ! -e none ] || fail "a directory is left of a recording that never began"
