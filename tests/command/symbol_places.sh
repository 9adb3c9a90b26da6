#!/bin/sh
# SPDX-License-Identifier: MIT
# symbol_places.sh - the places of binaries, debug files and kernel symbols, and the reason where none of them fits
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
need_command objcopy
need_command readelf
need_command python3

# spin FUNCTION NUMBER: a program that spends its time in it; the code of another number has another build id
spin() {
	cat >"$tmp/spin.c" <<-E
	static unsigned __attribute__((noinline)) $1(unsigned n)
	{
		unsigned x = 1;
		for (unsigned i = 0; i < n; i++)
			x = i & 1 ? x * 1103515245 + $2 : x ^ x >> 3;
		return x;
	}
	int main(void) { return (int)($1(100000000) & 1); }
	E
	# shellcheck disable=SC2086
	$CC -O1 -Wl,--build-id -o "$tmp/spin" "$tmp/spin.c"
}

id_of() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}

export XDG_CACHE_HOME="$tmp/tables"
cache="$tmp/cache"
spin first_turn 12345
first=$(id_of "$tmp/spin")
[ -n "$first" ] || skip "$CC gives programs no build id"
perf --buildid-dir "$cache" record -q -e cpu-clock:u -F 999 -o "$tmp/data" "$tmp/spin" >/dev/null 2>&1 ||
	skip "perf cannot record here"
perf --buildid-dir "$cache" record -q -B -N -e cpu-clock:u -F 999 -o "$tmp/noid.data" "$tmp/spin" >/dev/null 2>&1
# a sandbox with a sampling period of its own
"$SONDE" report -i "$tmp/data" 2>/dev/null | grep -q first_turn || skip "there are no samples of the program"

# another build of the same path: never taken, both ids and the path are said
mv "$tmp/spin" "$tmp/old"
spin other_turn 54321
run "$SONDE" report --buildid-dir "$tmp/none" -i "$tmp/data"
want_status 0
if grep -E -q 'first_turn|other_turn' "$tmp/out"; then failed_run "names of another build"; fi
want_err "^sonde: Warning: $tmp/spin: [0-9.]+% of the samples have no symbol: $tmp/spin: build id is "
want_err "build id is $(id_of "$tmp/spin"), recorded was $first"
run "$SONDE" script --buildid-dir "$tmp/none" -i "$tmp/data"
want_status 0
want_err "^sonde: Warning: $tmp/spin: no symbols: $tmp/spin: build id is $(id_of "$tmp/spin"), recorded was $first"
run "$SONDE" script -q --buildid-dir "$tmp/none" -i "$tmp/data"
if grep -q 'no symbols' "$tmp/err"; then failed_run "-q does not turn warnings off"; fi

# where perf has copied it, in another directory than ~/.debug
run "$SONDE" report --buildid-dir "$cache" -i "$tmp/data"
want_out '\[\.\] first_turn'
want_no_err

# below a root, which comes before the path itself and does not hide it
mkdir -p "$tmp/root/$tmp"
cp "$tmp/old" "$tmp/root/$tmp/spin"
for option in --sysroot --symfs; do
	run "$SONDE" report --buildid-dir "$tmp/none" "$option" "$tmp/root" -i "$tmp/data"
	want_out '\[\.\] first_turn'
done
mv "$tmp/old" "$tmp/spin"
mkdir "$tmp/empty"
run "$SONDE" report --buildid-dir "$tmp/none" --sysroot "$tmp/empty" -i "$tmp/data"
want_out '\[\.\] first_turn'
run "$SONDE" report --buildid-dir "$tmp/none" --symfs "$tmp/empty" -i "$tmp/data"
if grep -q first_turn "$tmp/out"; then failed_run "--symfs did not hide the file"; fi

# no id in the recording: names, and a word where the file is newer
touch -d '1 hour ago' "$tmp/spin"
run "$SONDE" report --buildid-dir "$tmp/none" -i "$tmp/noid.data"
want_out '\[\.\] first_turn'
want_no_err
touch -d '1 hour' "$tmp/spin"
# another session of perf can make the kernel write ids for everybody
if "$SONDE" dump -i "$tmp/noid.data" | grep -q '^    build_id:'; then
	skip_part "the recording has build ids all the same"
else
	run "$SONDE" report --buildid-dir "$tmp/none" -i "$tmp/noid.data"
	want_out '\[\.\] first_turn'
	want_err "^sonde: Warning: $tmp/spin is newer than the recording, .* names are not verified"
	run "$SONDE" script --buildid-dir "$tmp/none" -i "$tmp/noid.data"
	want_err "^sonde: Warning: $tmp/spin is newer than the recording, .* names are not verified"
fi
run "$SONDE" report --buildid-dir "$tmp/none" -i "$tmp/data"
want_no_err

# the kernel of another machine: no names and a reason, or its own list where perf would keep one
shipped callgraph.data
shipped kallsyms
kernel_id=$("$SONDE" buildid-list -i "$tmp/callgraph.data" | sed -n 's/ \[kernel.kallsyms\]$//p')
other_id=00112233445566778899aabbccddeeff01234567
python3 - "$tmp/callgraph.data" "$kernel_id" "$other_id" <<-'E'
import sys
path, old, new = sys.argv[1:]
data = open(path, "rb").read()
assert bytes.fromhex(old) in data
open(path, "wb").write(data.replace(bytes.fromhex(old), bytes.fromhex(new)))
E
"$SONDE" report -g none --sort sym --kallsyms "$tmp/kallsyms" -i "$tmp/callgraph.data" 2>/dev/null |
	grep ' \[k\] ' >"$tmp/want"
grep -q '\[k\] [a-z]' "$tmp/want" || fail "the list of symbols has none of the functions"
run "$SONDE" report -g none --sort sym --buildid-dir "$tmp/none" -i "$tmp/callgraph.data"
want_status 0
want_err '^sonde: Warning: \[kernel.kallsyms\]: .* no symbol: the running kernel has another build id'
if grep -q ' \[k\] [a-z_]' "$tmp/out"; then failed_run "names of the running kernel"; fi
kcore="$tmp/kcore/[kernel.kcore]/$other_id/2026112212000000"
mkdir -p "$kcore"
cp "$tmp/kallsyms" "$kcore/kallsyms"
run "$SONDE" report -g none --sort sym --buildid-dir "$tmp/kcore" -i "$tmp/callgraph.data"
grep ' \[k\] ' "$tmp/out" | cmp -s - "$tmp/want" || failed_run "names of a list in [kernel.kcore] are others"

# a recording that is a directory has the list itself
mkdir -p "$tmp/dir/kcore_dir"
cp "$tmp/callgraph.data" "$tmp/dir/data"
cp "$tmp/kallsyms" "$tmp/dir/kcore_dir/kallsyms"
run "$SONDE" report -g none --sort sym --buildid-dir "$tmp/none" -i "$tmp/dir"
grep ' \[k\] ' "$tmp/out" | cmp -s - "$tmp/want" || failed_run "names of the list in kcore_dir are others"
