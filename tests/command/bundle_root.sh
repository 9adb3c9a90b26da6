#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle_root.sh - a bundle of copied stacks in a root that has nothing but sonde and its libraries
. "$SONDE_SOURCE/tests/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
need_command chroot
need_command ldd
chroot=$(command -v chroot)

cat >"$tmp/spin.c" <<'E2'
static inline __attribute__((always_inline)) unsigned spin_inlined(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}
__attribute__((noinline)) unsigned spin_leaf(unsigned n) { return spin_inlined(n) + 1; }
__attribute__((noinline)) unsigned spin_caller(unsigned n) { return spin_leaf(n) * 3; }
int main(void) { return (int)(spin_caller(100000000) & 1); }
E2
# shellcheck disable=SC2086
$CC -O2 -g -Wl,--build-id -o "$tmp/spin" "$tmp/spin.c"
run "$SONDE" record -q -e cpu-clock:u -F 499 --call-graph dwarf,4096 -o "$tmp/spin.data" -- "$tmp/spin"
[ -s "$tmp/spin.data" ] || skip "sonde cannot record here: $(cat "$tmp/err")"

root=$tmp/root
mkdir -p "$root/home" "$root/tmp"
cp "$SONDE" "$root/sonde"
for library in $(ldd "$SONDE" | grep -o '/[^ ]*'); do
	mkdir -p "$root${library%/*}"
	cp "$library" "$root$library"
done
bare() {
	env -i HOME=/home "$chroot" "$root" /sonde "$@"
}
bare version >/dev/null 2>&1 || skip "sonde does not run in a bare root here"

cp "$tmp/spin.data" "$root/data"
cp "$tmp/spin.data" "$tmp/data"
run bare report -i data
if grep -q spin_leaf "$tmp/out"; then failed_run "names are there without the program"; fi
run "$SONDE" bundle -o "$tmp/data" "$tmp/spin.data"
want_status 0
cp "$tmp/data" "$root/data"
# where the loader and the libc are both here and there, the bare root has no debug files of them
for words in "report" "report -g" "script --inline" "script -F ip,sym,symoff,srcline" "export -o -"; do
	# shellcheck disable=SC2086
	(cd "$tmp" && "$SONDE" $words -i data >full 2>full.err) || fail "$words: $(cat "$tmp/full.err")"
	# shellcheck disable=SC2086
	bare $words -i data >"$tmp/bare" 2>"$tmp/bare.err" || fail "$words in a bare root: $(cat "$tmp/bare.err")"
	cmp "$tmp/full" "$tmp/bare" || fail "$words: $(diff "$tmp/full" "$tmp/bare" | head -20)"
done
run bare report -g -i data
grep -q spin_caller "$tmp/out" || failed_run "spin_caller is missing"
run bare script -i data
grep -q 'spin_inlined (inlined)\|spin_inlined' "$tmp/out" || failed_run "spin_inlined is missing"
