#!/bin/sh
# SPDX-License-Identifier: MIT
# jitdump.sh - code that a process makes is named by its jitdump, by the time of each sample, as perf inject -j names it
. "$SONDE_SOURCE/tests/lib.sh"
writer=$SONDE_BUILD/tests/jit_writer
cd "$tmp"
"$SONDE" record -q -e cpu-clock:u -o none.data true 2>/dev/null || skip "cannot record here"
run "$SONDE" record -q -k mono -F 2000 -e cpu-clock:u -o jit.data "$writer" "$tmp"
[ "$status" -ne 77 ] || skip "jit_writer makes no code for this processor"
want_status 0
dump=$(cat out)
pid=${dump##*/jit-}
pid=${pid%.dump}

count_names() {
	awk '$2 ~ /^jit_/ { n[$2]++ } END { for (name in n) print name, n[name] }' | sort
}

# names FILE [OPTION...]: how many samples each function has that was made
names() {
	file=$1
	shift
	"$SONDE" script -i "$file" -F ip,sym "$@" | count_names
}

names jit.data >names
for name in jit_one jit_two jit_three jit_moved; do
	grep -q "^$name [0-9]" names || fail "no sample is in $name: $(cat names)"
done

# a report says the same, and which process made the code
"$SONDE" report --stdio -i jit.data -n --sort dso,sym >report
awk -v pid="$pid" '$3 == "[JIT]" && $4 == "tid" && $5 == pid && $7 ~ /^jit_/ { print $7, $2 }' report |
	sort >reported
cmp names reported || fail "report and script disagree: $(cat names reported report)"

# the order of the functions in time
"$SONDE" script -i jit.data -F ip,sym | awk '$2 ~ /^jit_/ && $2 != last { print last = $2 }' >order
printf '%s\n' jit_one jit_two jit_three jit_moved | cmp - order || fail "the order of the functions: $(cat order)"

# the dump is looked for below --symfs, and nothing else is believed
mkdir -p "root$tmp" empty
mv "$dump" "root$dump"
names jit.data --symfs root | cmp names - || fail "--symfs: the dump was not found below it"
names jit.data --sysroot root | cmp names - || fail "--sysroot: the dump was not found below it"
[ -z "$(names jit.data --symfs empty)" ] || fail "--symfs: names without a dump"
run "$SONDE" report --stdio -i jit.data --symfs empty
grep -q "^sonde: Warning: empty$dump: cannot open: No such file" err || fail "nothing says why: $(cat err)"
mv "root$dump" "$dump"

# a dump that is cut off has the functions before its end
size=$(wc -c <"$dump")
cp "$dump" whole
for cut in 30 100 $((size / 2)) $((size - 100)) $((size - 1)); do
	head -c "$cut" whole >"$dump"
	run "$SONDE" report --stdio -i jit.data
	want_status 0
done
cp whole "$dump"

# another clock: the names are those of the last functions, and a warning says so
run "$SONDE" record -q -F 2000 -e cpu-clock:u -o other.data "$writer" "$tmp"
want_status 0
run "$SONDE" report --stdio -i other.data
grep -q 'memory was used for several functions, .* (record -k mono avoids that)$' err || fail "no warning: $(cat err)"
grep -q jit_moved out || fail "no name at all: $(cat out)"
if grep -q jit_one out; then fail "a name that nothing proves: $(cat out)"; fi
run "$SONDE" report --stdio -i jit.data
if grep -q 'record -k mono' err; then fail "a warning for nothing: $(cat err)"; fi

# the functions that called the code are found by its .eh_frame
run "$SONDE" record -q -k mono -F 2000 --call-graph dwarf,8192 -e cpu-clock:u -o stack.data "$writer" "$tmp" stack
if [ "$status" -eq 77 ]; then
	skip_part "jit_writer has no unwind information for this processor"
else
	want_status 0
	"$SONDE" script -i stack.data -F ip,sym >stacks
	awk 'BEGIN { RS = "" }
		/ jit_deep\n/ { n++; complete += / main(\n|$)/ }
		END { exit !(n && n == complete) }' stacks ||
		fail "the callers of made code: $(head -20 stacks)"
	# Python 3.13 leaves the machine in the header of its dump 0
	dump=$("$SONDE" script -i stack.data --show-mmap-events |
		sed -n 's/.* \(\/.*jit-[0-9]*\.dump\).*/\1/p' | head -1)
	printf '\0\0\0\0' | dd of="$dump" bs=1 seek=12 conv=notrunc 2>/dev/null
	"$SONDE" script -i stack.data -F ip,sym >unknown
	cmp stacks unknown || fail "a dump without a machine: $(diff stacks unknown | head -10)"
fi

# the oracle, on a recording of its own
export HOME="$tmp"
oracle=
for perf in "$SONDE_SOURCE/../shared/tools/newest-perf" perf; do
	"$perf" record -q -k mono -F 2000 -e cpu-clock:u -o perf.data "$writer" "$tmp" >perf.log 2>&1 || continue
	"$perf" inject -j -i perf.data -o injected.data >inject.log 2>&1 || continue
	"$perf" script -i injected.data -F ip,sym 2>script.log | count_names >oracle
	names perf.data >names
	cmp names oracle || fail "$perf inject -j: $(cat oracle), sonde: $(cat names)"
	oracle=yes
done
[ -n "$oracle" ] || skip_part "no perf here can record and inject jitdumps"
