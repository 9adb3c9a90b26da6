#!/bin/sh
# SPDX-License-Identifier: MIT
# archive.sh - binaries and kernel symbols out of what `perf archive` makes, by every compressor
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
need_command bash
need_command tar
need_command bzip2
need_command xz
need_command zstd
script=$(perf --exec-path)/perf-archive
[ -r "$script" ] || skip "there is no perf archive"
ldconfig -p 2>/dev/null | grep -q 'libarchive\.so\.13' || skip "there is no libarchive"

cat >"$tmp/spin.c" <<'E'
static unsigned __attribute__((noinline)) archived_turn(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}
int main(void) { return (int)(archived_turn(100000000) & 1); }
E
# shellcheck disable=SC2086
$CC -O1 -Wl,--build-id -o "$tmp/spin" "$tmp/spin.c"
mkdir "$tmp/rec"
perf --buildid-dir "$tmp/cache" record -q -e cpu-clock:u -F 999 -o "$tmp/rec/data" "$tmp/spin" >/dev/null 2>&1 ||
	skip "perf cannot record here"
rm "$tmp/spin"
named() {
	run "$SONDE" report --buildid-dir "" "$@" -i "$tmp/rec/data"
	want_status 0
	grep -q '\[\.\] archived_turn' "$tmp/out"
}
if named; then failed_run "the name is there without an archive"; fi

PERF_BUILDID_DIR="$tmp/cache" bash "$script" "$tmp/rec/data" >"$tmp/out" 2>&1 || fail "perf archive: $(cat "$tmp/out")"
named || failed_run "not found beside the recording"
want_no_err

# by name, and then only that; by each compressor and none
mv "$tmp/rec/data.tar.bz2" "$tmp/moved.bz2"
if named; then failed_run "found an archive that is not there"; fi
bzip2 -dc "$tmp/moved.bz2" >"$tmp/moved.tar"
gzip -c "$tmp/moved.tar" >"$tmp/moved.gz"
xz -0 -c "$tmp/moved.tar" >"$tmp/moved.xz"
zstd -q -c "$tmp/moved.tar" >"$tmp/moved.zst"
for end in bz2 tar gz xz zst; do
	named --archive "$tmp/moved.$end" || failed_run "not found in .$end"
done

# another build of the program: which one is there, and which was recorded
id=$("$SONDE" buildid-list -i "$tmp/rec/data" | awk '/spin/ { print $1; exit }')
other=$(echo "$id" | tr 0123456789abcdef 123456789abcdef0)
mkdir "$tmp/tree"
tar -C "$tmp/tree" -xf "$tmp/moved.tar"
find "$tmp/tree" -depth -name "$id" | while read -r place; do mv "$place" "$(dirname "$place")/$other"; done
rm -rf "$tmp/tree/.build-id"
tar -C "$tmp/tree" --transform 's,^\./,,' -cf "$tmp/other.tar" .
if named --archive "$tmp/other.tar"; then failed_run "names of another build"; fi
want_err "$tmp/other.tar has build $other of it, and build $id was recorded"

# `perf archive --all`: the recording and an archive inside another
cp "$tmp/moved.bz2" "$tmp/perf.symbols.tar.bz2"
tar -C "$tmp" -cjf "$tmp/rec/perf.all-host-20261122.tar.bz2" rec/data perf.symbols.tar.bz2
named || failed_run "not found in perf.all-*.tar.bz2"
rm "$tmp/rec/perf.all-host-20261122.tar.bz2"

# damaged, not there and of another kind: a sentence, and the report all the same
head -c 2000 "$tmp/moved.gz" >"$tmp/cut.gz"
for bad in "$tmp/cut.gz" "$tmp/none.tar" "$tmp/spin.c"; do
	if named --archive "$bad"; then failed_run "the name is there"; fi
	[ -s "$tmp/out" ] || failed_run "no report"
	want_err "$bad: [^ ]"
done

# kernel symbols, as perf's cache has them by the id of the recorded kernel
shipped callgraph.data
shipped kallsyms
id=$("$SONDE" buildid-list -i "$tmp/callgraph.data" | sed -n 's/ \[kernel.kallsyms\]$//p')
"$SONDE" report -g none --sort sym --kallsyms "$tmp/kallsyms" -i "$tmp/callgraph.data" 2>/dev/null |
	grep ' \[k\] ' >"$tmp/want"
mkdir -p "$tmp/list/[kernel.kallsyms]/$id"
cp "$tmp/kallsyms" "$tmp/list/[kernel.kallsyms]/$id/kallsyms"
tar -C "$tmp/list" -czf "$tmp/callgraph.data.tar.gz" "[kernel.kallsyms]"
run "$SONDE" report -g none --sort sym --buildid-dir "" -i "$tmp/callgraph.data"
grep ' \[k\] ' "$tmp/out" | cmp -s - "$tmp/want" || failed_run "names of the archived list are others"
