#!/bin/sh
# SPDX-License-Identifier: MIT
# ftrace.sh - traces of this very kernel, read back by trace-cmd where it is installed
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

tracefs=/sys/kernel/tracing
[ -d "$tracefs/instances" ] && [ -w "$tracefs/instances" ] ||
	skip "there is no tracefs at $tracefs that may be written to (mount -t tracefs nodev $tracefs, as root)"

# instances PID: those of one recorder; others may run at the same time
instances() {
	find "$tracefs/instances" -mindepth 1 -maxdepth 1 -name "sonde-$1-*"
}
at_end() {
	rmdir "$tracefs/instances/sonde.test.$$" 2>/dev/null || :
}

# the trace-cmd that runs with the name of the link that is called
# the build with a sanitizer writes the same files, and trace-cmd takes most of the time
readers=
newest=$SONDE_SOURCE/../shared/tools/newest-perf
if [ "$SONDE_SANITIZE" = none ]; then
	! command -v trace-cmd >/dev/null 2>&1 || readers=trace-cmd
	if [ -x "$newest" ]; then
		ln -s "$newest" newest-trace-cmd
		# its exit status is never 0 here
		./newest-trace-cmd -h >version 2>&1 || :
		! grep -q '^trace-cmd version' version || readers="$readers ./newest-trace-cmd"
	fi
	[ -n "$readers" ] || skip_part "there is no trace-cmd: only sonde reads the traces back"
fi

# counts FILE: lines "EVENT COUNT" as sonde finds them
counts() {
	"$SONDE" info --count "$1" | sed -n 's/^# events  *: .*://p' | sort
}

# accepted FILE: every trace-cmd (of most files the newest) finds it valid and reads the same events from it
accepted() {
	case $1 in
	splice.dat | zstd.dat | version6.dat | pages.dat | instance.dat | repaired.dat) asked=$readers ;;
	*) asked=${readers##* } ;;
	esac
	# trace-cmd can be built without zlib
	[ "$1" != zlib.dat ] || [ -z "$asked" ] || "$asked" list -c 2>/dev/null | grep -q zlib || asked=
	counts "$1" >counts
	total=$(awk '{ n += $2 } END { print n + 0 }' counts)
	run "$SONDE" info --count "$1"
	want_status 0
	want_out '^# losses  *: none$'
	for trace_cmd in $asked; do
		"$trace_cmd" report "$1" >report 2>report.err || fail "$trace_cmd report $1: $(head -3 report.err)"
		sed -n 's/^.*[0-9]\.[0-9]*: *\([a-z_0-9]*\): .*/\1/p' report | sort | uniq -c |
			awk '{ print $2, $1 }' | sort >counts.theirs
		cmp -s counts counts.theirs ||
			fail "$trace_cmd and sonde count differently in $1: $(diff counts counts.theirs | head -5)"
		"$trace_cmd" dump --validate "$1" >validate 2>&1 ||
			fail "$trace_cmd dump --validate $1: $(head -3 validate)"
		grep -q 'is a valid trace-cmd file' validate ||
			fail "$trace_cmd dump --validate $1: $(head -3 validate)"
	done
}

# record NAME OPTION... -- COMMAND...
record() {
	name=$1
	shift
	# a recorder that has to wait for a CPU may lose events: then once more
	for _ in 1 2 3 4 5; do
		run "$SONDE" record --ftrace -o "$name.dat" "$@"
		want_status 0
		grep -q ' lost: ' err || break
	done
	said=$(sed -n 's/.*(\([0-9]*\) events) \]$/\1/p' err)
	accepted "$name.dat"
	[ "${said:-none}" = "$total" ] || failed_run "$name.dat has $total events, $said were counted"
}

# ---- ways of reading, versions, selections ----
for reader in splice read mapped; do
	if [ "$reader" = mapped ] && ! "$SONDE" record --ftrace -q --reader mapped -e sched_switch -o probe.dat true \
		2>/dev/null; then
		echo "this kernel does not let ring buffers be mapped"
		continue
	fi
	record "$reader" --reader "$reader" -e 'sched:*' -e raw_syscalls -- "$workload" 0.1
	grep -q '^sys_enter ' counts || fail "no system calls in $reader.dat"
	grep -q '^sched_switch ' counts || fail "no context switches in $reader.dat"
done
record version6 --file-version 6 -e sched -- "$workload" 0.1
run "$SONDE" info version6.dat
want_out 'trace.dat version 6,'
record everything -a -e all --buffer-size 16384 -- sleep 0.1
record pages --subbuf-size 16 --buffer-size 16384 -e sched_switch,raw_syscalls -- "$workload" 0.1
record clock --clock mono -e sched_switch -- "$workload" 0.1
record stacks --stacktrace -e sched_switch -- "$workload" 0.1
grep -q '^kernel_stack ' counts || fail "no stacks"
record triggered -e sched_switch --trigger stacktrace -- "$workload" 0.1
grep -q '^kernel_stack ' counts || fail "no stacks by trigger"
record duration --duration 0.2 -C 0 -e sched_switch
record instance -e sched_switch --instance "sonde.test.$$" -e sched_waking -- "$workload" 0.1
[ ! -d "$tracefs/instances/sonde.test.$$" ] || fail "an instance that was made is still there"
run "$SONDE" info instance.dat
want_out "^# buffer .*sonde\.test\.$$"

# letters as trace-cmd has them
record letters -p nop -e sched_switch -T -R 'stacktrace if prev_pid == 0' -C mono -b 2048 -F -c -s 1000 --no-filter \
	--temp /tmp \
	--cmdlines-size 100 --compression none -- "$workload" 0.1
grep -q '^kernel_stack ' counts || fail "-T gave no stacks"
run "$SONDE" info letters.dat
want_out '^# buffer .*clock mono'
for codec in zstd zlib none; do
	record "$codec" --compression "$codec" -e sched_switch -- "$workload" 0.1
	run "$SONDE" info "$codec.dat"
	if [ "$codec" = none ]; then
		want_out ' 8-byte long$'
	else
		want_out "compressed with $codec"
		want_out '^# section .*: 19 .* compressed, kallsyms'
		want_out '^# section .*: 3 .* compressed, buffer'
	fi
done
[ "$(stat -c %s zstd.dat)" -lt $(($(stat -c %s none.dat) / 2)) ] || fail "zstd.dat is not small"

# the kernel says how long a tick is, or trace-cmd and sonde both refuse
if grep -q x86-tsc "$tracefs/trace_clock"; then
	run "$SONDE" record --ftrace -C tsc2nsec -o ticks.dat -e sched_switch true
	if [ "$status" = 0 ]; then
		run "$SONDE" info ticks.dat
		want_out 'option .*: TSC2NSEC'
		want_out 'clock tsc2nsec'
	else
		want_err 'the kernel does not say how long a tick is'
		run "$SONDE" record --ftrace -C x86-tsc -o ticks.dat -e sched_switch true
		want_status 0
	fi
fi

record sub -B "sonde.test.$$" -e sched_waking -- "$workload" 0.1
run "$SONDE" info sub.dat
want_out "^# buffer .*sonde\.test\.$$"
sh -c 'while :; do sleep 0.01; done' &
pid=$!
record process -P "$pid" -e sched_switch --duration 0.3
kill "$pid"
grep -q '^sched_switch ' counts || fail "nothing of the process of -P"
# the same letters belong to perf where its events are recorded too
record mixed -e sched_switch -e cpu-clock:u -F 500 -g -C 0 -- "$workload" 0.2
[ "$(ls -A mixed.data)" = mixed.data ] || fail "no samples beside the events"

# filters; a command and what it starts, and nobody else
record filtered -e raw_syscalls:sys_enter -f 'id == 39' -- sh -c 'true; true'
record followed -e sched_process_exec -- sh -c '/bin/true; /bin/true; exec /bin/true'
[ "$(cat counts)" = "sched_process_exec 4" ] || fail "4 programs were executed, not: $(cat counts)"

# the size that ends it
run "$SONDE" record --ftrace -q -a --max-size 8M -e raw_syscalls -o limited.dat -- "$workload" 60
want_err 'max-size'
[ "$(stat -c %s limited.dat)" -lt 67108864 ] || fail "limited.dat has $(stat -c %s limited.dat) bytes"

# both kinds of events, one clock: every sample lies in the time of the trace
record both -e sched_switch -e cpu-clock:u -- "$workload" 0.2
"$SONDE" script both.data >samples
[ -s samples ] || fail "no samples in both.data"

# ---- names of tasks that came and went ----
cp /bin/true shortlived
cp /bin/true 'short lived'
record names -e sched_process_exit -- sh -c './shortlived; ./shortlived; "./short lived"; true'
"$SONDE" script names.dat >names.txt
[ "$(grep -c '^ *shortlived-' names.txt)" -eq 2 ] || fail "names of tasks are missing: $(cat names.txt)"
[ "$(grep -c '^ *short lived-' names.txt)" -eq 1 ] || fail "a name with a blank is missing: $(cat names.txt)"
! grep -q '<\.\.\.>' names.txt || fail "tasks without a name: $(cat names.txt)"

# ---- what cannot be ----
run "$SONDE" record --ftrace -e nosuch:event -o x.dat true
want_status 2
want_err "there is no event 'nosuch:event'"
run "$SONDE" record --ftrace -e sched_switch -f 'nofield == 1' -o x.dat true
want_status 1
want_err 'refuses the filter .*nofield.*: .*[Ff]ield'
# listed KIND WORD NEAREST OPTION...: what there is, and the nearest of it; a usage error that leaves no file
listed() {
	kind=$1 word=$2 nearest=$3
	shift 3
	run "$SONDE" record --ftrace "$@" -o x.dat true
	want_status 2
	want_err "^sonde record: there is no $kind '$word'; did you mean '$nearest'\\?$"
}
listed tracer nopp nop --tracer nopp
want_err '^There are: .*nop'
listed clock mnoo mono --clock mnoo -e sched_switch
want_err '^There are: .*mono_raw'
listed 'option of tracefs' overwrit overwrite -O overwrit -e sched_switch
want_err ' stacktrace,'
listed event sched_swich sched:sched_switch -e sched_swich
listed event sched:sched_swich sched:sched_switch -e sched:sched_swich
want_err ' sched:sched_process_exec,'
run "$SONDE" record --ftrace -e zzzzzz -o x.dat true
want_status 2
want_err "there is no event or system 'zzzzzz'"
want_err '^There are: .*, '
run "$SONDE" record -p function true
want_status 2
want_err "-p: 'function' is not a list of numbers; --ftrace --tracer function names a tracer of the kernel"
run "$SONDE" record --ftrace --compression lzma -e sched_switch -o x.dat true
want_status 2
want_err "'lzma' is not any, none, zlib or zstd"
run "$SONDE" record --trigger stacktrace -e cpu-clock true
want_status 2
want_err 'for --ftrace only'
[ ! -e x.dat ] || fail "a failed recording has left a file"
run "$SONDE" record --ftrace -e sched_switch -o missing.dat nosuchprogram
want_status 1
want_err "no program 'nosuchprogram'"

# ---- killed ----
setsid "$SONDE" record --ftrace -q -a -e sched -e raw_syscalls -o killed.dat -- sleep 300 &
pid=$!
flushed() {
	"$SONDE" info --count killed.dat 2>/dev/null | grep -q 'sys_enter [1-9]'
}
wait_until flushed
# before it is killed: the next recorder, which may be that of somebody else, removes it
[ -n "$(instances "$pid")" ] || fail "the recorder has no instance: nothing to remove"
kill -9 "-$pid"
wait "$pid" || :
run "$SONDE" info --count killed.dat
want_status 1
want_out 'was never finished'
counts killed.dat >counts.killed
# trace-cmd reads the file itself only while no CPU has more than one extent
run "$SONDE" repair killed.dat repaired.dat
want_status 0
accepted repaired.dat
cmp counts counts.killed || fail "sonde counts differently in killed.dat: $(diff counts counts.killed | head -5)"
[ "$total" -gt 0 ] || fail "nothing in the file of a killed recorder"
run "$SONDE" record --ftrace -e sched_switch -o next.dat true
want_status 0
[ -z "$(instances "$pid")" ] || fail "the instance of the killed recorder is left"

# ---- what is in the kernel's buffers ----
mkdir "$tracefs/instances/sonde.test.$$"
echo 1 >"$tracefs/instances/sonde.test.$$/events/sched/sched_process_exec/enable"
for _ in 1 2 3; do
	/bin/true
done
run "$SONDE" extract -B "sonde.test.$$" -o extracted.dat
want_status 0
accepted extracted.dat
awk '$1 == "sched_process_exec" && $2 >= 3 { ok = 1 } END { exit !ok }' counts || fail "extracted: $(cat counts)"
[ "$(cat "$tracefs/instances/sonde.test.$$/tracing_on")" = 1 ] || fail "extract has stopped the tracing"
run "$SONDE" extract -B no.such.instance -o x.dat
want_status 1
rmdir "$tracefs/instances/sonde.test.$$"

# ---- the same events as trace-cmd records at the same time ----
# trace-cmd gives up where function tracing is locked down; in a mount namespace of its own it finds files that it may
# write to
rival=${readers##* }
[ -n "$rival" ] || exit 0
cat >rival <<EOF
for f in /proc/sys/kernel/ftrace_enabled $tracefs/set_ftrace_filter $tracefs/set_ftrace_notrace \\
	$tracefs/set_ftrace_pid $tracefs/set_ftrace_notrace_pid; do
	echo 1 >"$tmp/stand-in.\${f##*/}" && mount --bind "$tmp/stand-in.\${f##*/}" "\$f" || exit 3
done
exec "\$@"
EOF
cat >task <<'EOF'
i=0
while [ $i -lt 200 ]; do i=$((i + 1)); kill -0 $$; done
EOF
cp "$(command -v dash || command -v sh)" sonde-task
if unshare -m sh ./rival "$rival" record -q -o theirs.dat -e raw_syscalls -f "comm == \"sonde-task\"" \
	"$SONDE" record --ftrace -q -a -o ours.dat -e raw_syscalls -f "comm == \"sonde-task\"" ./sonde-task ./task \
	>rival.out 2>&1; then
	counts ours.dat >counts
	counts theirs.dat >counts.theirs
	[ -s counts ] || fail "nothing was recorded of the task"
	cmp counts counts.theirs || fail "not the events that trace-cmd recorded: $(diff counts counts.theirs)"
else
	echo "trace-cmd cannot record here: $(tail -1 rival.out)"
fi
