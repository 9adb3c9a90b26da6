#!/bin/sh
# SPDX-License-Identifier: MIT
# examples.sh - the programs of examples/ do what their first line says
. "$SONDE_SOURCE/tests/lib.sh"

examples=$SONDE_BUILD/examples
threads=$([ ! -x "$examples/example-threads" ] || echo threads)
for name in count functions losses metadata samples $threads; do
	run "$examples/example-$name" "$tmp/missing"
	want_status 1
	want_no_out
	want_err "^$tmp/missing: .*No such file"
done

for how in '6' '7' '7 none' '7 zlib' '7 zstd'; do
	# shellcheck disable=SC2086  # several words
	run "$examples/example-write_dat" "$tmp/new.dat" $how
	want_status 0
	run "$SONDE" check "$tmp/new.dat"
	want_out ': 1000 records, 0 errors, 0 warnings, 0 notes$'
	run "$SONDE" script "$tmp/new.dat"
	[ "$(grep -c ' number=[0-9]*$' "$tmp/out")" -eq 1000 ] || failed_run 'not all events'
	command -v trace-cmd >/dev/null 2>&1 || continue
	trace-cmd report -i "$tmp/new.dat" >"$tmp/out" 2>/dev/null || continue  # built without zlib
	[ "$(grep -c 'clockwork-7 .* number=[0-9]*$' "$tmp/out")" -eq 1000 ] || failed_run 'trace-cmd report'
	[ "$(grep -c '^other: ' "$tmp/out")" -eq 100 ] || failed_run 'trace-cmd report: the other buffer'
	trace-cmd dump --validate -i "$tmp/new.dat" >"$tmp/out" || failed_run 'trace-cmd dump --validate'
done

run "$examples/example-write_perf" "$tmp/new.data"
want_status 0
run "$SONDE" check "$tmp/new.data"
want_out ': 1004 records, 0 errors, 0 warnings, '
run "$SONDE" script -F comm,tid,ip "$tmp/new.data"
[ "$(grep -c '^clockwork *8 *$' "$tmp/out")" -eq 500 ] || failed_run 'not 500 samples of the child'
[ "$(grep -c '[[:space:]]402000$' "$tmp/out")" -eq 1000 ] || failed_run 'not all call chains'

run "$SONDE" record -e task-clock:u -o "$tmp/probe.data" true
if [ "$status" -eq 0 ]; then
	run "$examples/example-profile_self"
	want_status 0
	want_out '^ *[0-9.]+% .* (work|main)$'  # in which the compiler may put it
else
	skip_part "recording is not possible here: $(cat "$tmp/err")"
fi

# addr2line: a program of one function, by an argument and by the standard input
cat >"$tmp/program.c" <<'E'
volatile int sink;
int outer(int x)
{
	sink = x;
	return x + 1;
}
E
# shellcheck disable=SC2086
$CC -g -O1 -shared -fPIC -o "$tmp/program" "$tmp/program.c"
address=$(nm "$tmp/program" | sed -n 's/ T outer$//p')
for word in '' "$address"; do
	echo "$address" >"$tmp/words"
	# shellcheck disable=SC2086  # none or one
	run "$examples/example-addr2line" "$tmp/program" $word <"$tmp/words"
	want_status 0
	want_out '^outer$'
	want_out '/program\.c:[34]$'
done
run "$examples/example-addr2line" "$tmp/program" 0
want_status 0
[ "$(cat "$tmp/out")" = "$(printf '??\n??:0')" ] || failed_run 'there is a function at address 0'

need_corpus
busy=$SONDE_CORPUS/perf/quipper-perf.data.busy.0-3.4
run "$examples/example-count" "$busy"
want_status 0
want_out '^ *67 cycles$'
want_out '^ *127 instructions$'
samples=$(awk '{ n += $1 } END { print n }' "$tmp/out")

run "$examples/example-samples" "$busy"
want_status 0
[ "$(wc -l <"$tmp/out")" -eq "$samples" ] || failed_run "not one line for each of $samples samples"
want_out '^perf               15638/15638   \[000\] 417\.988049171: cache-references 13169 ip ffffffff811c4787$'
awk '{ sub(/:$/, "", $4); if ($4 < last) exit 1; last = $4 }' "$tmp/out" || failed_run "not in the order of time"

if [ -n "$threads" ]; then
	run "$examples/example-threads" "$busy"
	want_status 0
	[ "$(awk '{ n += $1 } END { print n }' "$tmp/out")" -eq "$samples" ] || failed_run "not $samples samples"
	want_out '^ *[0-9]* perf 15638$'
fi

run "$examples/example-metadata" "$busy"
want_status 0
want_out '^kernel     3\.4\.0$'
want_out '^event      cycles$'

run "$examples/example-functions" "$busy"
want_status 0
want_out '^ *[0-9.]+%  '

run "$examples/example-losses" "$busy"
want_status 0
want_no_out
head -c 20000 "$busy" >"$tmp/cut"
run "$examples/example-losses" "$tmp/cut"
want_status 1
want_out ', first at 0x'
