#!/bin/sh
# SPDX-License-Identifier: MIT
# record_starts.sh - how recordings begin and end: signals, commands that do not exist, closed files, one name for
# several
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

run "$SONDE" record -e cpu-clock:u -o probe true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"
tracefs=/sys/kernel/tracing
kinds=perf
if [ -d "$tracefs/instances" ] && [ -w "$tracefs/instances" ]; then
	kinds="perf ftrace"
else
	echo "there is no tracefs at $tracefs that may be written to: --ftrace is not tested"
fi

# options KIND: in $options, of a short recording
options() {
	case $1 in
	perf) options='-e cpu-clock:u' ;;
	ftrace) options='--ftrace -e sched_switch' ;;
	esac
}

# recording FILE: waits until there is one
recording() {
	wait_until test -s "$1"
}

# ended N FILE...: N of the recorders have written their exit status
ended() {
	n=$1
	shift
	[ "$(cat "$@" | grep -c -x '[0-9]*' || :)" -ge "$n" ]
}

# whole FILE: a finished recording
whole() {
	run "$SONDE" check "$1"
	want_status 0
}

signals='INT:2 TERM:15 HUP:1'
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status) in
*[13579bdf]) signals='INT:2 TERM:15' ;; # nohup has started the tests
esac

for kind in $kinds; do
	options "$kind"
	# ---- signals: this shell ignores SIGINT for what it starts with &, and nohup ignores SIGHUP ----
	for signal in $signals; do
		rm -f sig
		# shellcheck disable=SC2086
		"$SONDE" record -q $options -o sig -- "$workload" 60 >out 2>err &
		pid=$!
		recording sig
		kill "-${signal%:*}" $pid
		status=0
		wait $pid || status=$?
		[ "$status" -eq $((128 + ${signal#*:})) ] || fail "exit status $status after SIG${signal%:*} ($kind)"
		whole sig
	done
	# shellcheck disable=SC2086
	nohup "$SONDE" record -q $options -o sig -- "$workload" 60 >out 2>err &
	pid=$!
	recording sig
	sleep 0.3
	kill -HUP $pid
	sleep 0.3
	kill -0 $pid 2>/dev/null || fail "SIGHUP has ended what nohup has started ($kind)"
	kill -INT $pid
	wait $pid || :
	whole sig

	# ---- the command has the limits that it would have without us ----
	# shellcheck disable=SC2086
	run sh -c "ulimit -S -n 200; \"\$SONDE\" record -q $options -o limits sh -c 'ulimit -n'"
	want_status 0
	want_out '^200$'

	# ---- what cannot be executed: no recording, and the old ones stay ----
	mkdir -p programs/directory
	printf '#!/no/such/interpreter\n' >programs/interpreter
	printf 'no program' >programs/text
	chmod +x programs/interpreter
	for program in no-such-program ./no-such-program programs/directory programs/text programs/interpreter ''; do
		rm -f kept kept.old
		# shellcheck disable=SC2086
		run "$SONDE" record $options -o kept "$program"
		want_status 1
		want_err "there is no program '$program'|cannot execute '$program'"
		without_load
		want_err_lines 1
		[ ! -e kept ] || fail "'$program' has left a recording ($kind)"
		echo "the one before" >kept
		echo "the one before that" >kept.old
		# shellcheck disable=SC2086
		run "$SONDE" record $options -o kept "$program"
		want_status 1
		[ "$(cat kept)" = "the one before" ] || fail "'$program' has replaced the recording ($kind)"
		# only exec itself knows of the interpreter, when the file has its name already
		[ "$program" = programs/interpreter ] || [ "$(cat kept.old)" = "the one before that" ] ||
			fail "'$program' has replaced the old recording ($kind)"
	done

	# ---- standard files that are closed are no files of the recorder's ----
	for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
		rm -f closed
		status=0
		# shellcheck disable=SC2086
		eval '"$SONDE" record $options -o closed sh -c "echo wo\"\"rds; echo wo\"\"rds >&2; :"' "$closed" \
			>/dev/null 2>&1 || status=$?
		[ "$status" -eq 0 ] || fail "exit status $status with $closed ($kind)"
		whole closed
		grep -q -e words -e Captured closed && fail "text in the recording with $closed ($kind)"
	done

	# ---- one name for several recorders at once ----
	rm -f one one.old go
	for i in 1 2 3 4; do
		: >"one.$i"
		# shellcheck disable=SC2086
		{
			status=0
			"$SONDE" record -q $options -o one -- sh -c 'until [ -e go ]; do sleep 0.1; done' \
				2>"one.$i" || status=$?
			echo "$status" >>"one.$i"
		} &
	done
	wait_until ended 3 one.1 one.2 one.3 one.4
	touch go
	wait
	[ "$(grep -l -x 0 one.[1-4] | wc -l)" -eq 1 ] ||
		fail "of four recorders with one name not one has recorded: $(cat one.[1-4])"
	[ "$(cat one.[1-4] | grep -c 'another recorder is writing one: choose another name (-o)$')" -eq 3 ] ||
		fail "not refused: $(cat one.[1-4])"
	whole one
	[ ! -e one.old ] || fail "two recordings under one name"
done

# output that goes nowhere is an error as before
run sh -c '"$SONDE" help >&-'
want_status 1
want_err 'cannot write the output'

[ "$kinds" != perf ] || exit 0
# ---- too few open files ----
# fewer than 4 are too few for the dynamic linker
for n in 4 5 6 7 8 10 12 16 20 24; do
	run sh -c "ulimit -n $n; exec \"\$SONDE\" record --ftrace -e sched_switch -o few true"
	[ "$status" -le 1 ] || failed_run "exit status $status with ulimit -n $n"
	[ "$status" -eq 0 ] || [ -s err ] || failed_run "not a word with ulimit -n $n"
	[ "$status" -eq 0 ] || want_err 'Too many open files|open files'
done
