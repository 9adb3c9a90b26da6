#!/bin/sh
# SPDX-License-Identifier: MIT
# buildid_cache.sh - record keeps copies of binaries as perf does, for perf and for sonde
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
need_command readelf
cat >"$tmp/spin.c" <<'E'
static unsigned __attribute__((noinline)) kept_turn(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}
volatile unsigned result;
int main(void)
{
	result = kept_turn(100000000);
	return 0;
}
E
# shellcheck disable=SC2086
$CC -O1 -Wl,--build-id -o "$tmp/spin" "$tmp/spin.c"
id=$(readelf -n "$tmp/spin" 2>/dev/null | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip "$CC gives programs no build id"
cache=$tmp/cache
mkdir "$tmp/home"
HOME=$tmp/home "$SONDE" record -q -e cpu-clock:u -F 499 -o "$tmp/data" "$tmp/spin" 2>/dev/null ||
	skip "cannot record here"
[ ! -e "$tmp/home/.debug" ] || fail "copies that nobody has asked for"

run "$SONDE" record -q -e cpu-clock:u -F 499 --buildid-cache="$cache" -o "$tmp/data" "$tmp/spin"
want_status 0
cmp "$cache$tmp/spin/$id/elf" "$tmp/spin" || fail "the copy differs"
link=$cache/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)
[ "$(readlink -f "$link")" = "$(readlink -f "$cache$tmp/spin/$id")" ] || fail "the link does not lead to the copy"
perf --buildid-dir "$cache" buildid-cache -l | grep -q "$id $tmp/spin\$" || fail "perf does not list the copy"

# both have the names when the program is gone
rm "$tmp/spin"
run "$SONDE" report --buildid-dir "$cache" -i "$tmp/data"
want_out '\[\.\] kept_turn$'
perf --buildid-dir "$cache" report --stdio -i "$tmp/data" 2>/dev/null | grep -q kept_turn || fail "perf has no name"

# -N takes it back; without a name it is ~/.debug; a place that cannot be written to is said
cp "$cache$tmp/spin/$id/elf" "$tmp/spin"
HOME=$tmp/home "$SONDE" record -q -e cpu-clock:u --buildid-cache -N -o "$tmp/data" "$tmp/spin"
[ ! -e "$tmp/home/.debug" ] || fail "-N has no effect"
HOME=$tmp/home "$SONDE" record -q -e cpu-clock:u --buildid-cache -o "$tmp/data" "$tmp/spin"
cmp "$tmp/home/.debug$tmp/spin/$id/elf" "$tmp/spin" || fail "no copy in ~/.debug"
: >"$tmp/file"
run "$SONDE" record -e cpu-clock:u --buildid-cache="$tmp/file" -o "$tmp/data" "$tmp/spin"
want_status 0
want_err "binar(y was|ies were) not copied: cannot copy .* to $tmp/file"
