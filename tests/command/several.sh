#!/bin/sh
# SPDX-License-Identifier: MIT
# several.sh - several traces in one order of time: `sonde script` of them, and the iterator of the library
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
recorded=$SONDE_CORPUS/recorded
host=$recorded/tc3.4-t7_hostsync.dat
guest=$recorded/tc3.4-t7_hostsync-guest1.dat
one=$recorded/tc3.1-t6.dat
two=$recorded/tc3.1-t7_inst.dat

# sorted FIELD: the lines of the output are in the order of the times in this column
in_order() {
	grep -o ' [0-9]*\.[0-9]*: ' "$tmp/out" | tr -d ' :' >"$tmp/times"
	sort -n "$tmp/times" | cmp -s - "$tmp/times" || failed_run 'not in the order of time'
}

# host and guest, on the host's clock: every line of each, and the same times as by themselves
run "$SONDE" script -i "$host" -i "$guest"
want_status 0
want_no_err
in_order
cp "$tmp/out" "$tmp/both"
for file in "$host" "$guest"; do
	run "$SONDE" script "$file"
	name=${file##*/}
	sed -n "s/^ *$name: //p" "$tmp/both" >"$tmp/part"
	cmp "$tmp/part" "$tmp/out" || fail "$name is not the same among others"
done
[ "$(grep -c 'hostsync.dat: ' "$tmp/both")" -gt 1 ] || fail 'no line of the host'

# as words, and as many as one likes; what is not known of the clocks is said
run "$SONDE" script "$one" "$two" "$one"
want_status 0
want_err "^sonde: $two: 1 clock of which nothing says how it stands"
in_order
[ "$(grep -c '^ *tc3.1-t6.dat: ' "$tmp/out")" -eq "$((2 * $("$SONDE" script "$one" | wc -l)))" ] || failed_run 'lines of a file that is there twice'
want_out '^            three:           <idle>-0 '

# times by the command line: nothing has to be known then
run "$SONDE" script -i "$one" -i "$two" --ts-offset -7000000000
want_status 0
want_no_err
in_order
want_out '^tc3.1-t7_inst.dat: .* 81\.999430: sched_switch: '
run "$SONDE" script -i "$one" --ts-offset 7000000000
want_out ' 89\.411082: softirq_raise: '
run "$SONDE" script -i "$one" --ts2secs 2000000000
want_out ' 41\.205541: softirq_raise: '
run "$SONDE" script --raw-ts --time 6,7 "$host" "$guest"
[ "$(wc -l <"$tmp/out")" -eq 2 ] || failed_run 'times that are not raw'
run "$SONDE" script --time 6.416,6.417 "$host" "$guest"
want_no_err
"$SONDE" script "$host" "$guest" 2>/dev/null | grep -c -E ' 6\.416[0-9]{3}: | 6\.417000: ' >"$tmp/count" || true
[ "$(($(wc -l <"$tmp/out") - 2))" -eq "$(cat "$tmp/count")" ] || failed_run 'other events than those of the time'

# less memory for each, and none that grows with the number of files; a sanitizer needs more for itself
if [ "$SONDE_SANITIZE" = none ]; then
	run "$SONDE" script --max-memory 32M "$host" "$guest" "$one" "$two"
	want_status 0
fi

# a file that is cut costs itself
head -c 30000 "$two" >"$tmp/cut.dat"
run "$SONDE" script "$tmp/cut.dat" "$one"
want_status 1
want_err "^sonde: $tmp/cut.dat: "
[ "$(grep -c '^ *tc3.1-t6.dat: ' "$tmp/out")" -eq "$("$SONDE" script "$one" | wc -l)" ] || failed_run 'lines of the sound one'

# what there is no layout for
run "$SONDE" script "$one" "$recorded/perf6.1-sched.data"
want_status 2
want_no_out
want_err 'several traces .* have to be trace\.dat'
run "$SONDE" script --layout perf "$one" "$two"
want_status 2
run "$SONDE" script "$one" "$tmp/missing"
want_status 1
want_err "^sonde: $tmp/missing: .*No such file"
for bad in '--ts-offset 5' '-i x --ts-offset 1e9' '-i x --ts2secs 0' '--ts2secs -1'; do
	# shellcheck disable=SC2086  # several words
	run "$SONDE" script $bad
	want_status 2
	want_no_out
done

# the library, of any formats
run "$SONDE_BUILD/examples/example-several" "$host" "$guest"
want_status 0
want_no_err
[ "$(wc -l <"$tmp/out")" -eq "$(($(wc -l <"$tmp/both") - 2))" ] || failed_run 'not all events'
awk '$1 < last { exit 1 } { last = $1 }' "$tmp/out" || failed_run 'not in the order of time'
run "$SONDE_BUILD/examples/example-several" "$recorded/perf6.1-sched.data" "$one" "$recorded/perf6.1-clockid.data"
want_status 0
awk '$1 < last { exit 1 } { last = $1 }' "$tmp/out" || failed_run 'not in the order of time'
want_err "tc3\.1-t6\.dat: 1 clock of which nothing says"
for file in perf6.1-sched.data tc3.1-t6.dat perf6.1-clockid.data; do
	want_out "$file "
done
run "$SONDE_BUILD/examples/example-several" "$tmp/missing"
want_status 1
