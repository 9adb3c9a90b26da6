#!/bin/sh
# SPDX-License-Identifier: MIT
# record_affinity.sh - the thread that empties the rings goes where --affinity says, and the command does not follow
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"
need_command taskset
run "$SONDE" record -a -e cpu-clock -o probe.data true
[ "$status" -eq 0 ] || skip "the whole system cannot be recorded here: $(cat "$tmp/err")"
last=$(taskset -pc $$ | sed 's/.*[-,: ]//')
first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
[ "$first" != "$last" ] || skip "there is one CPU only"

# allowed PID: the CPUs on which the main thread may run
allowed() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"
}
is_allowed() {
	[ "$(allowed "$1")" = "$2" ]
}

has_child() {
	child=$(cut -d ' ' -f 1 "/proc/$1/task/$1/children")
	[ -n "$child" ]
}

# moves CPUS OPTION...: a recorder that may run on the first CPU only moves to these
moves() {
	want=$1
	shift
	taskset -c "$first" "$SONDE" record -q -a -e cpu-clock -o moved.data "$@" -- sleep 60 2>err &
	pid=$!
	wait_until is_allowed $pid "$want"
	wait_until has_child $pid
	is_allowed "$child" "$first" || fail "the command has moved too ($*)"
	kill -INT $pid
	wait $pid || :
	run "$SONDE" check moved.data
	want_status 0
}

moves "$last" -C "$last" --affinity=cpu
node=$(grep -l . /sys/devices/system/node/node*/cpulist 2>/dev/null | while read -r list; do
	case ",$(cat "$list")," in *[,-]"$last",*) cat "$list" ;; esac
done | head -1)
if [ -n "$node" ]; then
	moves "$node" -C "$last" --affinity=node
else
	echo "there are no nodes: --affinity=node has nothing to do"
fi

run "$SONDE" record --affinity=core -e cpu-clock -o x.data true
want_status 2
want_err "--affinity: 'core' is not node, cpu or sys"
