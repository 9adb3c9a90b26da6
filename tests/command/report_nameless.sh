#!/bin/sh
# SPDX-License-Identifier: MIT
# report_nameless.sh - code without symbols is one row a function, and the report says how to get names
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf
need_command nm
need_command strip

cat >"$tmp/spin.c" <<'E'
static unsigned __attribute__((noinline)) turn(unsigned x) { return (x << 7) ^ (x >> 3) ^ 0x9e3779b9; }
static unsigned __attribute__((noinline)) spin(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = (i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3) + turn(x);
	return x;
}
int main(void) { return (int)(spin(150000000) & 1); }
E
# shellcheck disable=SC2086
$CC -O1 -fno-omit-frame-pointer -o "$tmp/spin" "$tmp/spin.c"
nm "$tmp/spin" | sed -n 's/^0*\([0-9a-f]*\) t \(spin\|turn\)$/\1/p' | sort >"$tmp/starts"
[ "$(wc -l <"$tmp/starts")" -eq 2 ] || fail "nm does not know both functions"
strip "$tmp/spin"
perf record -q -e cpu-clock:u -F 999 -g -o "$tmp/data" "$tmp/spin" >/dev/null 2>&1 || skip "perf cannot record here"

# the oracle has a row an address; their sum is ours
perf report --stdio --no-children -g none -F overhead,sample,dso,sym -i "$tmp/data" 2>/dev/null |
	awk '$3 == "spin" && $5 ~ /^0x/ { n += $2; rows++ } END { print n, rows }' >"$tmp/perf"
read -r samples rows <"$tmp/perf"
[ "$rows" -gt 3 ] || fail "perf has only $rows rows without a name"

run "$SONDE" report -g none -F overhead,sample,dso,sym -i "$tmp/data"
want_status 0
awk '$3 == "spin" && /\(no symbol\)$/ { print substr($5, 3) }' "$tmp/out" | sort >"$tmp/got"
comm -23 "$tmp/starts" "$tmp/got" >"$tmp/missing"
[ ! -s "$tmp/missing" ] || failed_run "no row of the function at 0x$(head -1 "$tmp/missing")"
ours=$(awk '$3 == "spin" && $5 ~ /^0x/ { n += $2 } END { print n }' "$tmp/out")
[ "$ours" -eq "$samples" ] || failed_run "$ours samples without a name, perf has $samples"
want_err '^sonde: Warning: no symbols found in spin for [0-9.]+% of the samples: it is stripped; build it with -g'

# once: not of rows that are no functions, and not where the page says it
for words in "--sort comm" "--sort comm,dso" "--html=$tmp/page.html"; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" report $words -i "$tmp/data"
	if grep -q 'no symbols found' "$tmp/err"; then failed_run 'these rows are no functions'; fi
done

start=$(head -1 "$tmp/starts")
run "$SONDE" report -g -i "$tmp/data"
want_out "(--|^ +)0x$start \\(no symbol\\)\$"
run "$SONDE" export --to folded "$tmp/data"
want_out ";0x$start \\(no symbol\\) \\[spin\\][; ]"
run "$SONDE" report --html "$tmp/page.html" -i "$tmp/data"
grep -q "\"0x$start (no symbol)\"" "$tmp/page.html" || fail "the page has no function at 0x$start"
grep -q 'samples are in functions of spin that have no symbol' "$tmp/page.html" ||
	fail "the page does not say that names are missing"
run "$SONDE" report --json --sort dso,sym -i "$tmp/data"
want_out "\"symbol\":null,\"addr\":\"0x$start\",\"size\":[0-9]"

# lines of samples stay as perf has them
perf script -G -F ip,sym -i "$tmp/data" 2>/dev/null >"$tmp/want"
run "$SONDE" script -G -F ip,sym -i "$tmp/data"
diff "$tmp/want" "$tmp/out" >/dev/null || failed_run "differs from perf"

mv "$tmp/spin" "$tmp/moved"
run "$SONDE" report -i "$tmp/data"
want_err "^sonde: Warning: $tmp/spin: [0-9.]+% of the samples have no symbol; the file is needed for names"
