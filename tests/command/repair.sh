#!/bin/sh
# SPDX-License-Identifier: MIT
# repair.sh - `sonde repair`: each kind of damage, what it says, where it does not write
. "$SONDE_SOURCE/tests/lib.sh"

run "$SONDE" repair "$tmp/none" "$tmp/out.data"
want_status 1
want_err "^sonde: $tmp/none: .*No such file"
run "$SONDE" repair "$tmp/none"
want_status 2

echo 'this is no trace, and nothing in it looks like one' >"$tmp/text"
run "$SONDE" repair "$tmp/text" "$tmp/out.data"
want_status 1
want_err 'no event is described anywhere'
[ ! -e "$tmp/out.data" ] || fail "a failed run left a file behind"

. "$SONDE_SOURCE/tests/damage.sh"

# mended NUMBER [MESSAGE]: repairs $tmp/damaged, which then has so many records
mended() {
	run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
	want_status 0
	[ -z "${2:-}" ] || want_err "$2"
	got=$(records "$tmp/mended")
	[ "$got" -eq "$1" ] || fail "$got records, expected $1"
	[ "$(stat -c %a "$tmp/mended")" = 600 ] || fail "the output is not its owner's alone"
}

# killed recorders: MANIFEST.md counts what lies in them
cp "$recorded/perf6.1-killed9.data" "$tmp/damaged"
mended 210 'header features that the recorder had not written yet'
cp "$recorded/s390x-killed9.data" "$tmp/damaged"
mended 198
cp "$recorded/perf7.2-killed9_pipe.data" "$tmp/damaged"
mended 289
cp "$recorded/perf6.1-trunc_6000.data" "$tmp/damaged"
mended 17 'bytes of a record that is cut by the end'

file=perf6.1-groupS.data
whole=$(records "$recorded/$file")

# a header of zeros: the events are found, the features are not
damage $file 0 '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
mended "$whole" '1 header that cannot be used'
run "$SONDE" info "$tmp/mended"
want_out '^# event          : cpu-clock'

# attrs section that is nowhere: EVENT_DESC describes the events too
damage $file 24 '\377\377\377\377\377\377\377\377'
mended "$whole" 'events? (was|were) lost and (is|are) described by other parts of the file'
run "$SONDE" script "$recorded/$file"
cp "$tmp/out" "$tmp/before"
run "$SONDE" script "$tmp/mended"
cmp "$tmp/out" "$tmp/before" || fail "another text than that of the sound file"

# an attr that says another sample_type than EVENT_DESC: records decide
attrs=$(od -A n -t u8 -j 24 -N 8 "$recorded/$file" | tr -d ' ')
damage $file $((attrs + 24)) '\001\0\0\0\0\0\0\0'
mended "$whole" 'attrs? by which records make no sense'

# an attr of a size that cannot be
damage $file $((attrs + 6)) '\100\100'
mended "$whole" 'attrs? whose size cannot be'

# a feature table that leads nowhere
data=$(od -A n -t u8 -j 40 -N 8 "$recorded/$file" | tr -d ' ')
bytes=$(od -A n -t u8 -j 48 -N 8 "$recorded/$file" | tr -d ' ')
damage $file $((data + bytes)) '\377\377\377\377\377\377\377\377'
mended "$whole" '1 header feature that is lost: BUILD_ID'

# garbage in the middle costs the record that it hits
damage $file 4072 '\377\377\377\377\377\377\377\377'
mended $((whole - 1)) 'bytes? that (is|are) no records? \(first at offset 0xfe8\)'

# script_like FILE FILE: both give the same text
script_like() {
	run "$SONDE" script "$1"
	cp "$tmp/out" "$tmp/before"
	run "$SONDE" script "$2"
	cmp "$tmp/out" "$tmp/before" || fail "another text than that of the sound file"
}

# records_of TYPE FILE
records_of() {
	"$SONDE" info --json --count "$2" | sed -n "s/.*\"records\":{[^}]*\"$1\":\([0-9]*\).*/\1/p"
}

# perf cannot read compressed records without the feature, which a killed recorder never wrote: they are written plainly
packed=$recorded/perf6.1-zfile.data
data=$(od -A n -t u8 -j 40 -N 8 "$packed" | tr -d ' ')
bytes=$(od -A n -t u8 -j 48 -N 8 "$packed" | tr -d ' ')
head -c $((data + bytes)) "$packed" >"$tmp/damaged"
run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
want_status 0
[ -z "$(records_of COMPRESSED "$tmp/mended")" ] || fail "compressed records without the feature"
script_like "$packed" "$tmp/mended"

# nor one that is damaged: what came out before it is compressed anew. Sound ones stay as they are.
cp "$packed" "$tmp/damaged"
mended 208
[ "$(records_of COMPRESSED "$tmp/mended")" -eq "$(records_of COMPRESSED "$packed")" ] ||
	fail "sound compressed records did not stay"
damage perf6.1-zfile.data $((0x4fbe)) '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377'
run "$SONDE" check "$tmp/damaged"
want_status 1
want_out ': 0x4fb6: error: record-unpack: COMPRESSED: '
run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
want_status 0
want_err 'bytes of compressed records that cannot be decompressed'
records "$tmp/mended" >/dev/null

# without_ids NAME: a copy whose events have no ids, and that has no features
without_ids() {
	cp "$recorded/$1" "$tmp/damaged"
	chmod u+w "$tmp/damaged"
	entry=$(od -A n -t u8 -j 16 -N 8 "$tmp/damaged" | tr -d ' ')
	attrs=$(od -A n -t u8 -j 24 -N 8 "$tmp/damaged" | tr -d ' ')
	bytes=$(od -A n -t u8 -j 32 -N 8 "$tmp/damaged" | tr -d ' ')
	[ $((bytes / entry)) -gt 1 ] || fail "too few events for this test"
	at=$((attrs + entry))
	while [ "$at" -le $((attrs + bytes)) ]; do
		dd if=/dev/zero of="$tmp/damaged" bs=1 seek=$((at - 16)) count=16 conv=notrunc 2>/dev/null
		at=$((at + entry))
	done
	dd if=/dev/zero of="$tmp/damaged" bs=1 seek=72 count=32 conv=notrunc 2>/dev/null
}

# ID_INDEX says whose the records are
several=$recorded/armhf-multi.data
without_ids armhf-multi.data
run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
want_status 0
records "$tmp/mended" >/dev/null
script_like "$several" "$tmp/mended"

# without it EVENT_UPDATE has the first id of each event
without_ids perf7.2-trace.data
at=$("$SONDE" dump -i "$recorded/perf7.2-trace.data" | sed -n 's/^\(0x[0-9a-f]*\) .* ID_INDEX .*/\1/p')
printf '\074' | dd of="$tmp/damaged" bs=1 seek=$((at)) conv=notrunc 2>/dev/null
run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
want_status 0
records "$tmp/mended" >/dev/null
run "$SONDE" script -i "$tmp/mended"
[ "$(wc -l <"$tmp/out")" -eq 136 ] || fail "$(wc -l <"$tmp/out") of 136 samples"

# a directory: one of its files is gone, then the header of \`data\`
cp -r "$recorded/perf6.1-dir.data" "$tmp/dir"
chmod -R u+w "$tmp/dir"
rm "$tmp/dir/data.0"
run "$SONDE" check "$tmp/dir"
want_status 1
want_out ': warning: part-missing: directory: .* data.1 without data.0$'
run "$SONDE" repair "$tmp/dir" "$tmp/dir.mended"
want_status 0
want_err '1 file data.N is missing from the directory$'
records "$tmp/dir.mended" >/dev/null
cp "$recorded/perf6.1-dir.data/data.0" "$tmp/dir"
dd if=/dev/zero of="$tmp/dir/data" bs=1 count=64 conv=notrunc 2>/dev/null
rm -r "$tmp/dir.mended"
run "$SONDE" repair "$tmp/dir" "$tmp/dir.mended"
want_status 0
script_like "$recorded/perf6.1-dir.data" "$tmp/dir.mended"

# the file that describes the events has another name, or there is none
cp "$recorded/perf6.1-dir.data/data" "$tmp/dir/data.before"
head -c 200 "$tmp/dir/data" >"$tmp/dir/data.a"
rm -r "$tmp/dir/data" "$tmp/dir.mended"
run "$SONDE" repair "$tmp/dir" "$tmp/dir.mended"
want_status 0
want_err 'data, which describes the events of the others, is missing: data.before was taken for it$'
script_like "$recorded/perf6.1-dir.data" "$tmp/dir.mended"
rm "$tmp/dir/data.before"
run "$SONDE" repair "$tmp/dir" "$tmp/dir.none"
want_status 1
want_err "^sonde: $tmp/dir: its file data is missing, .* the events of data.0 and the others: expected data, or "
[ ! -e "$tmp/dir.none" ] || fail "something was written"
rm "$tmp/dir"/data*
run "$SONDE" repair "$tmp/dir" "$tmp/dir.none"
want_status 1
want_err 'cannot open data in the directory'

# all of the others are gone; one is cut
cp "$recorded/perf6.1-dir.data/data" "$tmp/dir"
run "$SONDE" repair "$tmp/dir" "$tmp/dir.left"
want_status 0
want_err '1 file data.N is missing from the directory$'
head -c 1000 "$recorded/perf6.1-dir.data/data.0" >"$tmp/dir/data.0"
cp "$recorded/perf6.1-dir.data/data.1" "$tmp/dir"
run "$SONDE" repair "$tmp/dir" "$tmp/dir.cut"
want_status 0
want_err '40 bytes of a record that is cut by the end .in data.0. .first at offset 0x3c0.$'
run "$SONDE" check "$tmp/dir.cut"
want_status 0

# the newest perf refuses a file of the other byte order without HOSTNAME
run "$SONDE" repair "$recorded/s390x-killed9.data" "$tmp/mended"
want_status 0
run "$SONDE" info "$tmp/mended"
want_out '^# hostname : \(none\)$'

# the output is neither the input nor reached through a link, and what was there stays when nothing can be mended
cp "$recorded/$file" "$tmp/damaged"
chmod u+w "$tmp/damaged"
run "$SONDE" repair "$tmp/damaged" "$tmp/damaged"
want_status 1
want_err 'is the input'
cmp "$tmp/damaged" "$recorded/$file" || fail "the input was touched"
ln -s "$tmp/elsewhere" "$tmp/link"
run "$SONDE" repair "$tmp/damaged" "$tmp/link"
want_status 1
want_err 'a symbolic link'
[ ! -e "$tmp/elsewhere" ] || fail "something was written through a link"
run "$SONDE" repair "$tmp/text" "$tmp/mended"
want_status 1
records "$tmp/mended" >/dev/null
[ "$(find "$tmp" -name 'mended.*' | wc -l)" -eq 0 ] || fail "half a file is left"

# killed while it writes it leaves nothing, where files can be without a name
cp "$recorded/perf6.1-killed9.data" "$tmp/damaged"
chmod u+w "$tmp/damaged"
data=$(od -A n -t u8 -j 40 -N 8 "$tmp/damaged" | tr -d ' ')
tail -c +$((data + 1)) "$tmp/damaged" >"$tmp/records"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	cat "$tmp/records" "$tmp/records" >"$tmp/twice"
	mv "$tmp/twice" "$tmp/records"
done
cat "$tmp/records" >>"$tmp/damaged"
rm "$tmp/records"
mkdir "$tmp/killed"
"$SONDE" repair -q "$tmp/damaged" "$tmp/killed/out" &
while ! readlink /proc/$!/fd/* 2>/dev/null | grep -q "^$tmp/killed/"; do
	kill -0 $! || fail "it was over before it could be killed"
done
kill -9 $!
wait $! || :
found=$(ls -A "$tmp/killed")
case $(stat -f -c %T "$tmp") in
ext2/ext3 | tmpfs | xfs | btrfs) [ -z "$found" ] || fail "a killed run left $found" ;;
*) echo "skipped: what a killed run leaves on $(stat -f -c %T "$tmp")" ;;
esac

# a stream through pipes: the mark of the end of its features is not written again
run sh -c "cat '$recorded/perf6.1-killed9_pipe.data' | '$SONDE' repair -q - - >'$tmp/stream'"
want_status 0
[ "$(records "$tmp/stream")" -eq 238 ] || fail "records of the stream"

# tracepoints of a killed perf: with the formats of the running kernel, which made the recording, or without the
# tracepoints
if command -v perf >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ] &&
	[ -e /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	perf record -q -e cpu-clock -e sched:sched_switch -a -m 1 -o "$tmp/points.data" >/dev/null 2>&1 &
	perf=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.5
		[ "$(wc -c <"$tmp/points.data")" -lt 300000 ] || break
	done
	kill -9 $perf
	wait $perf || :
	number=$(cat /sys/kernel/tracing/events/sched/sched_switch/id)
	run "$SONDE" repair "$tmp/points.data" "$tmp/mended"
	want_status 0
	want_err '1 format of a tracepoint was lost, and was taken from the running kernel'
	run perf script -i "$tmp/mended"
	want_status 0
	want_out 'sched:sched_switch: .*prev_comm=.* ==> next_comm='
	want_out 'cpu-clock:'
	run "$SONDE" check "$tmp/mended"
	want_status 0
	# written at another time than its records are of: another boot
	touch -d '2020-01-01' "$tmp/points.data"
	run "$SONDE" repair "$tmp/points.data" "$tmp/mended"
	want_status 0
	want_err "1 format of a tracepoint is lost \\($number\\).*--drop-tracepoints.*the time at which the file was"
	run "$SONDE" repair --drop-tracepoints "$tmp/points.data" "$tmp/mended"
	want_status 0
	want_err "1 tracepoint whose format is lost was left out: $number"
	run perf script -i "$tmp/mended"
	want_status 0
	want_out 'cpu-clock:'
	! grep -q "sched:sched_switch:" "$tmp/out" || fail "a tracepoint is left"
	run "$SONDE" check "$tmp/mended"
	want_status 0
else
	echo "no perf, no root or no tracefs: tracepoints of a killed perf are not tested"
fi
