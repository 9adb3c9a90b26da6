#!/bin/sh
# SPDX-License-Identifier: MIT
# repair_perf.sh - perf reads what `sonde repair` makes, as it read the sound file
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
. "$SONDE_SOURCE/tests/damage.sh"

# as_before FILE: perf prints of $tmp/mended what it prints of FILE
as_before() {
	perf script -F comm,tid,time,event,ip -i "$1" >"$tmp/before" 2>/dev/null
	perf script -F comm,tid,time,event,ip -i "$tmp/mended" >"$tmp/after" 2>"$tmp/err" ||
		failed_run "perf does not read it"
	[ -s "$tmp/before" ] || fail "perf reads nothing of $1"
	cmp "$tmp/before" "$tmp/after" || fail "perf prints something else than of $1"
}

mend() {
	rm -rf "$tmp/mended"
	run "$SONDE" repair "$1" "$tmp/mended"
	want_status 0
}

# compressed records without the feature, which a killed recorder never wrote
packed=$recorded/perf6.1-zfile.data
data=$(od -A n -t u8 -j 40 -N 8 "$packed" | tr -d ' ')
bytes=$(od -A n -t u8 -j 48 -N 8 "$packed" | tr -d ' ')
head -c $((data + bytes)) "$packed" >"$tmp/damaged"
mend "$tmp/damaged"
as_before "$packed"

# one of them is damaged: what came out before it is compressed anew
damage perf6.1-zfile.data $((0x4fbe)) '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377'
mend "$tmp/damaged"
perf script -i "$tmp/mended" >"$tmp/out" 2>"$tmp/err" || failed_run "perf does not read what is left"
[ "$(wc -l <"$tmp/out")" -gt 200 ] || fail "perf reads $(wc -l <"$tmp/out") lines"

# a directory whose file `data` has lost its header
cp -r "$recorded/perf6.1-dir.data" "$tmp/dir"
chmod -R u+w "$tmp/dir"
dd if=/dev/zero of="$tmp/dir/data" bs=1 count=64 conv=notrunc 2>/dev/null
mend "$tmp/dir"
as_before "$recorded/perf6.1-dir.data"

# a recording of this machine with a thread for each CPU
if perf record -q --threads -e cpu-clock -o "$tmp/threads" -- md5sum "$SONDE" >/dev/null 2>"$tmp/err"; then
	cp -r "$tmp/threads" "$tmp/dir.threads"
	mv "$tmp/dir.threads/data" "$tmp/dir.threads/.data.lost"
	mend "$tmp/dir.threads"
	as_before "$tmp/threads"
else
	skip_part "perf cannot record threads here: $(head -n 1 "$tmp/err")"
fi

# the newest perf refuses a file of the other byte order without HOSTNAME
newest=${SONDE_NEWEST_PERF:-$SONDE_SOURCE/../shared/tools/newest-perf}
mend "$recorded/s390x-killed9.data"
if [ -x "$newest" ] && "$newest" --version >/dev/null 2>&1; then
	"$newest" script -i "$tmp/mended" 2>/dev/null | grep -q cpu-clock || fail "the newest perf does not read it"
else
	skip_part "there is no newest perf"
fi
