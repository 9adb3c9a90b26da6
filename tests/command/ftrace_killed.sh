#!/bin/sh
# SPDX-License-Identifier: MIT
# ftrace_killed.sh - a trace.dat whose recorder was killed, at several moments: it is hardly larger than what it holds,
# no event that had been written is missing, and `repair` and `cut` make a file of it that others read
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"

tracefs=/sys/kernel/tracing
[ -d "$tracefs/instances" ] && [ -w "$tracefs/instances" ] ||
	skip "there is no tracefs at $tracefs that may be written to (mount -t tracefs nodev $tracefs, as root)"
cpus=$(getconf _NPROCESSORS_CONF)
at_end() {
	[ -z "${pid:-}" ] || kill -9 "-$pid" 2>/dev/null || :
	# of a name of its own: no other recorder removes it
	rmdir "$tracefs/instances/sonde.test.$$" 2>/dev/null || :
}

# events FILE: how many system calls it has
events() {
	"$SONDE" info --count "$1" 2>/dev/null | sed -n 's/^# events  *: .*raw_syscalls:sys_enter //p' |
		awk '{ n += $1 } END { print n + 0 }'
}

holds() {
	[ -e killed.dat ] && [ "$(($(stat -c %b killed.dat) * 512))" -ge "$1" ]
}

# killed BYTES OPTION...: the recorder is killed when its file takes so much of the disk
killed() {
	bytes=$1
	shift
	setsid "$SONDE" record --ftrace -q -a -e raw_syscalls "$@" -o killed.dat -- \
		dd if=/dev/zero of=/dev/null bs=1 count=1000000000 2>/dev/null &
	pid=$!
	wait_until holds "$bytes"
	before=$(events killed.dat)
	kill -9 "-$pid"
	wait "$pid" || :
	pid=
	"$SONDE" info killed.dat >info 2>/dev/null || :
	instances=$(grep -c '^# buffer ' info) || instances=1
	[ "$instances" -gt 0 ] || instances=1
	listed=$(sed -n 's/^# buffer .* \([0-9]*\) CPUs* with data.*/\1/p' info | sort -n | tail -1)
	[ "$listed" -le "$cpus" ] || fail "$listed CPUs with data, where there are $cpus"
	said=$(stat -c %s killed.dat)
	most=$(($(stat -c %b killed.dat) * 512 * 5 / 4 + (cpus * instances * 5 + 2) * 1048576))
	[ "$said" -le "$most" ] || fail "the file says $said bytes, and $most are the most: $(ls -ls killed.dat)"
	after=$(events killed.dat)
	[ "$after" -ge "$before" ] && [ "$before" -gt 0 ] || fail "$before events before the kill, $after after it"
	run "$SONDE" repair killed.dat repaired.dat
	want_status 0
	[ "$(events repaired.dat)" -eq "$after" ] || fail "$after events, $(events repaired.dat) when it is repaired"
	run "$SONDE" check repaired.dat
	want_status 0
	want_out ' 0 errors'
	run "$SONDE" cut killed.dat cut.dat
	want_status 0
	[ "$(events cut.dat)" -eq "$after" ] || fail "$after events, $(events cut.dat) when it is cut"
	if command -v trace-cmd >/dev/null 2>&1; then
		theirs=$(trace-cmd report repaired.dat 2>/dev/null | grep -c 'sys_enter: ') || :
		[ "$theirs" -eq "$after" ] || fail "trace-cmd finds $theirs of $after events"
	fi
	rm -f killed.dat repaired.dat cut.dat
}

killed 4000000
killed 30000000
killed 12000000 --compression none
killed 12000000 --instance "sonde.test.$$" -e raw_syscalls
