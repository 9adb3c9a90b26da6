#!/bin/sh
# SPDX-License-Identifier: MIT
# record_full_disk.sh - recordings that a disk has no room for: what is there can be read, and `info` says that more is
# missing
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

[ "$(id -u)" -eq 0 ] || skip "only root can mount a small disk"
at_end() {
	umount "$tmp/disk" 2>/dev/null || :
}
mkdir disk

# small SIZE: an empty disk of so many MiB at disk, of the file system that takes holes out of files if there is one
small() {
	umount disk 2>/dev/null || :
	if command -v mkfs.ext4 >/dev/null 2>&1; then
		rm -f image
		truncate -s "$1M" image
		mkfs.ext4 -q image && mount -o loop image disk 2>/dev/null && return 0
	fi
	mount -t tmpfs -o "size=$1m" none disk 2>/dev/null || skip "nothing can be mounted here"
}

# says_size FILE: the closing line has its size on the disk
says_size() {
	want_err "Captured and wrote $(stat -c '%b' "$1" | awk '{ printf "%.3f", $1 * 512 / 1048576 }') MB $1 "
}

# ---- perf.data: the last records are missing, and the file says that it is not finished ----
small 8
run "$SONDE" record -a -F 25000 -g -e cpu-clock -o disk/full.data -- "$workload" 300
want_status 1
want_err 'cannot write the recording: No space left on device'
says_size disk/full.data
run "$SONDE" info --count disk/full.data
want_out '^# samples  *: cpu-clock [0-9]+'
want_out '^# losses  *: 1 recording was never finished'

# ---- trace.dat ----
[ -w /sys/kernel/tracing/instances ] || exit 0
small 60
run "$SONDE" record --ftrace -a -e raw_syscalls -o disk/full.dat -- "$workload" 300
want_status 1
want_err 'cannot write the recording: No space left on device'
says_size disk/full.dat
cp err said
run "$SONDE" info --count disk/full.dat
if grep -q 'never finished' out; then
	exit 0  # the file system cannot take holes out of files, and has no room for a second one
fi
want_out '^# losses  *: [0-9]+ events? that the recorder could not write'
missing=$(sed -n 's/^# losses  *: \([0-9]*\) events* that the recorder could not write.*/\1/p' out |
	awk '{ n += $1 } END { print n + 0 }')
written=$(sed -n 's/^# events  *: .* \([0-9]*\)$/\1/p' out | awk '{ n += $1 } END { print n + 0 }')
grep -q "^sonde: Warning: $missing events are missing: there was no room to write them$" said ||
	fail "missing $missing, but: $(cat said)"
grep -q "($written events) \]$" said || fail "$written events are in the file, but: $(cat said)"
