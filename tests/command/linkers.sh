#!/bin/sh
# SPDX-License-Identifier: MIT
# linkers.sh - the same names and stacks whatever the linker, the size of pages and the place of the program
. "$SONDE_SOURCE/tests/lib.sh"
need_command objcopy
need_command readelf

cat >"$tmp/spin.c" <<'E'
__attribute__((noinline)) unsigned inner_turn(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}
__attribute__((noinline)) unsigned outer_turn(unsigned n)
{
	return inner_turn(n) + 1;
}
volatile unsigned result;
int main(void)
{
	result = outer_turn(40000000);
	return 0;
}
E
"$SONDE" record -q -e cpu-clock:u -o "$tmp/none.data" true 2>/dev/null || skip "cannot record here"
unset CDPATH
cd "$tmp"

# stack: the folded stacks of spin.data that have the functions
stack() {
	"$SONDE" export --to folded --buildid-dir "$1" spin.data 2>err | grep -c 'main;outer_turn;inner_turn' || :
}

# try NAME FLAGS...: a program of these flags
try() {
	name=$1
	shift
	# shellcheck disable=SC2086
	$CC -O1 -fno-optimize-sibling-calls -Wl,--build-id "$@" -o spin spin.c 2>/dev/null || return 0
	"$SONDE" record -q -e cpu-clock:u -F 499 --call-graph dwarf -o spin.data ./spin >out 2>err ||
		fail "$name: $(cat err)"
	[ "$(stack '')" -gt 0 ] || fail "$name: no such stack: $("$SONDE" export --to folded spin.data | head -3)"
	tried="$tried $name"

	# the debug file alone has names for the addresses, but no tables to unwind; a guess is said
	id=$(readelf -n spin 2>/dev/null | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || return 0
	dir=debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)
	mkdir -p "$dir"
	objcopy --only-keep-debug spin "$dir/debug" 2>/dev/null
	rm spin
	"$SONDE" report -g none --buildid-dir debug -i spin.data >out 2>err
	grep -q '\[\.\] inner_turn$' out || fail "$name: the debug file has no name: $(grep spin out)"
}

tried=
for linker in bfd gold lld mold; do
	try "$linker" -fuse-ld=$linker
	try "$linker-64k" -fuse-ld=$linker -Wl,-z,max-page-size=65536
done
try static -static
try no-pie -no-pie
try prelinked -pie -Wl,-Ttext-segment=0x7000000
try prelinked-lld -fuse-ld=lld -pie -Wl,--image-base=0x7000000
try one-segment -Wl,-z,noseparate-code
echo "tried:$tried"
case $tried in
*bfd*) ;;
*) skip "there is no linker that makes programs" ;;
esac
