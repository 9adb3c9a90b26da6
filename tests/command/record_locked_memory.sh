#!/bin/sh
# SPDX-License-Identifier: MIT
# record_locked_memory.sh - rings that may not be locked are smaller, and the recorder says so
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"
need_command setpriv
[ "$(id -u)" -eq 0 ] || skip "only root becomes another user"
chmod 755 "$tmp"
mkdir theirs
chmod 777 theirs
# the build may lie where others may not go
cp "$SONDE" sonde
SONDE=$tmp/sonde

# as_other COMMAND...: as a user whose rings are those of kernel.perf_event_mlock_kb
as_other() {
	run sh -c 'ulimit -l 0; exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"' sh "$@"
}

as_other "$SONDE" record -q -e page-faults:u -c 1 -o theirs/probe.data true
[ "$status" -eq 0 ] || skip "another user may not record here: $(cat err)"

as_other "$SONDE" record -e page-faults:u -c 1 -m 64M -o theirs/small.data true
[ "$status" -eq 0 ] || failed_run "exit status $status"
want_err 'rings of [0-9]+ KiB instead of 65536 KiB: more may not be locked'
run "$SONDE" check theirs/small.data
[ "$status" -eq 0 ] || failed_run "exit status $status"

# The first recorder takes what its user may lock: the second one, of the same user, has less than it would have alone.
as_other "$SONDE" record -q -m 64M -e page-faults:u -c 1 -o theirs/first.data -- \
	"$SONDE" record -e page-faults:u -c 1 -o theirs/second.data -- sh -c '(:); (:); (:)'
[ "$status" -eq 0 ] || failed_run "exit status $status"
want_err 'rings of [0-9]+ KiB instead of 512 KiB: more may not be locked'
run "$SONDE" check theirs/second.data
[ "$status" -eq 0 ] || failed_run "exit status $status"
