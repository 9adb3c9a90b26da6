#!/bin/sh
# SPDX-License-Identifier: MIT
# main_job.sh - record a program, see where its time went: sonde and perf give the same answer
. "$SONDE_SOURCE/tests/lib.sh"
workload=$SONDE_BUILD/bench/workload
cd "$tmp"

# top REPORT: percentage, command, binary and symbol of the heaviest rows: ten, and those that weigh as much as the
# tenth. Names of jump table entries differ between versions, and a linker may have made symbols of them (read$plt).
top() {
	sed -n 's/^ *\([0-9.]*%\)  */\1 /p' "$1" | grep -v '[@$]plt' | sed 's/  */ /g; s/ *$//' |
		awk 'NR <= 10 { least = $1 } NR <= 10 || $1 == least'
}

# The workload runs for some seconds, in which a loaded machine gives it less: until ten functions have samples.
for seconds in 1 3 9 27; do
	run "$SONDE" record -F 2000 -g -e cpu-clock:u -o job.data -- "$workload" "$seconds"
	[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"
	run "$SONDE" report --no-children -g none -i job.data
	want_status 0
	want_out '^ *[0-9.]+%  workload +workload +\[\.\] fibonacci'
	top "$tmp/out" >sonde.top
	[ "$(wc -l <sonde.top)" -lt 10 ] || break
done
[ "$(wc -l <sonde.top)" -ge 10 ] || fail "fewer than ten rows in $seconds seconds: $(cat sonde.top)"

if command -v perf >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1; then
	perf report --stdio --no-children -g none -i job.data >perf.out 2>perf.err </dev/null ||
		fail "perf report: $(cat perf.err)"
	[ ! -s perf.err ] || fail "perf report: $(cat perf.err)"
	python3 "$SONDE_SOURCE/tests/symbol_names.py" <perf.out >perf.named || fail "the names that sonde would choose"
	top perf.named >perf.top
	# rows of equal weight may change places
	sort sonde.top >sonde.sorted
	sort perf.top >perf.sorted
	diff perf.sorted sonde.sorted >&2 || fail "perf's ten heaviest functions are others"
else
	skip_part "there is no perf or no python3"
fi

# the same samples by every other way out
samples=$("$SONDE" info --json --count job.data | sed -n 's/.*"samples": *{"cpu-clock:u": *\([0-9]*\).*/\1/p' | head -1)
counted=$("$SONDE" script -i job.data -F event | grep -c 'cpu-clock:u')
folded=$("$SONDE" export --to folded -i job.data | awk '{ sum += $NF } END { print sum }')
[ "$counted" -eq "$folded" ] || fail "script has $counted samples, the folded stacks $folded"
[ "${samples:-0}" -eq "$counted" ] || fail "info has $samples samples, script $counted"

# one page, which names what was run
run "$SONDE" report -i job.data --html job.html
want_status 0
grep -q 'fibonacci' job.html || fail "the page does not know the functions"
grep -E -q '(src|href)="https?:' job.html && fail "the page refers to the network"

# a recorder that is killed leaves what it has flushed
setsid "$SONDE" record -g -e cpu-clock:u -o killed.data -- "$workload" 60 >/dev/null 2>&1 &
flushed() {
	"$SONDE" script -i killed.data 2>/dev/null | grep -q '^workload '
}
wait_until flushed
kill -9 -$!
wait $! 2>/dev/null || :
run "$SONDE" report -i killed.data
want_out '^ *[0-9.]+% +[0-9.]+%  workload'
exit 0
