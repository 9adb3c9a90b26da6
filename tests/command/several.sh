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
tai=$recorded/tc3.1-t6_clock_tai.dat
run "$SONDE" script "$one" "$tai"
want_status 0
want_err "^sonde: Warning: $tai: 1 clock whose offset from the first trace's clock is unknown"
run "$SONDE" script "$one" "$two" "$one"
want_status 0
want_no_err
in_order
[ "$(grep -c '^ *tc3.1-t6.dat: ' "$tmp/out")" -eq "$((2 * $("$SONDE" script "$one" | wc -l)))" ] ||
	failed_run 'lines of a file that is there twice'
want_out '^            three:           <idle>-0 '

# times by the command line: nothing has to be known then
run "$SONDE" script -i "$one" -i "$two" --ts-offset -7000000000
want_status 0
in_order
want_out '^tc3.1-t7_inst.dat: .* 81\.999430: sched_switch: '
run "$SONDE" script -i "$one" --ts-offset 7000000000
want_out ' 89\.411082: softirq_raise: '
run "$SONDE" script -i "$one" --ts2secs 2000000000
want_out ' 41\.205541: softirq_raise: '
run "$SONDE" script --raw-ts --time 6,7 "$host" "$guest"
[ "$(wc -l <"$tmp/out")" -eq 2 ] || failed_run 'times that are not raw'
run "$SONDE" script --time 6.416,6.417 "$host" "$guest"
want_err 'hostsync.dat: none of its 4570 events was asked for: 3929 not described, 641 sched:sched_switch, '
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
want_err "^sonde: Warning: $tmp/cut.dat: "
[ "$(grep -c '^ *tc3.1-t6.dat: ' "$tmp/out")" -eq "$("$SONDE" script "$one" | wc -l)" ] ||
	failed_run 'lines of the sound one'

# several perf.data, as one of them is printed: what is said of an event begins with the name of its file, a call chain
# belongs to what is above named NAME FILE [OPTION...]: an event a line, of the text of the file by itself
named() {
	name=$1
	file=$2
	shift 2
	"$SONDE" script "$@" "$file" 2>/dev/null | one_line | sed "s|^|$name: |"
}
one_line() {
	awk '/^$|^\t/ { printf "\001%s", $0; next } NR > 1 { print "" } { printf "%s", $0 } END { if (NR) print "" }'
}
by_time() {
	awk '{ match($0, /[0-9]+\.[0-9]+: /); print substr($0, RSTART, RLENGTH - 2) "\t" $0 }' | sort -s -n -k 1,1 |
		cut -f 2-
}
# expect NAME FILE NAME FILE [OPTION...]: $tmp/out is these two, by time; names are as wide as each other
expect() {
	a=$1 a_file=$2 b=$3 b_file=$4
	shift 4
	{
		named "$a" "$a_file" "$@"
		named "$b" "$b_file" "$@"
	} | by_time >"$tmp/want"
	one_line <"$tmp/out" | cmp - "$tmp/want" || failed_run 'not the lines of both files, by time'
	[ "$(wc -l <"$tmp/want")" -gt 50 ] || fail "few lines of $a_file and $b_file"
	grep -q "^$a" "$tmp/out" && grep -q "^$b" "$tmp/out" || failed_run 'a file without lines'
}
for f in many sched kmem; do
	"$SONDE" cut -C 0 "$recorded/perf6.1-$f.data" "$tmp/cpu0.data" 2>/dev/null
	"$SONDE" cut -C 1 "$recorded/perf6.1-$f.data" "$tmp/cpu1.data" 2>/dev/null
	run "$SONDE" script --ns "$tmp/cpu0.data" "$tmp/cpu1.data"
	want_status 0
	expect cpu0.data "$tmp/cpu0.data" cpu1.data "$tmp/cpu1.data" --ns
	want=$("$SONDE" script "$recorded/perf6.1-$f.data" 2>/dev/null | wc -l)
	[ "$(wc -l <"$tmp/out")" -eq "$want" ] || failed_run "not the lines of $f"
done
# fields, stacks, other records; on one thread and on several; symbols are those of each file
dwarf=$recorded/perf6.1-dwarf.data
many=$recorded/perf6.1-many.data
run "$SONDE" script --ns -i "$dwarf" -i "$many"
expect perf6.1-dwarf.data "$dwarf" ' perf6.1-many.data' "$many" --ns
cp "$tmp/out" "$tmp/whole"
if [ "$SONDE_SANITIZE" = none ]; then
	run "$SONDE" script --max-memory 60M --ns -i "$dwarf" -i "$many"
	cmp "$tmp/out" "$tmp/whole" || fail 'one thread prints something else than several'
fi
run "$SONDE" script -F comm,tid,time,event,ip,sym --ns "$dwarf" "$many"
expect perf6.1-dwarf.data "$dwarf" ' perf6.1-many.data' "$many" -F comm,tid,time,event,ip,sym --ns
"$SONDE" script --show-task-events --show-mmap-events "$many" 2>/dev/null >"$tmp/alone"
run "$SONDE" script --show-task-events --show-mmap-events "$dwarf" "$many"
sed -n 's/^ perf6.1-many.data: //p' "$tmp/out" | sort >"$tmp/part"
grep -v -e '^$' -e "$(printf '^\t')" "$tmp/alone" | sort | cmp - "$tmp/part" || fail 'other records of one among others'
run "$SONDE" script "$recorded/perf6.1-stat_A.data" "$recorded/perf6.1-stat_I.data"
want_out '^perf6.1-stat_A.data: CPU   THREAD  '
[ "$(grep -c -v '^perf6.1-stat_[AI].data: ' "$tmp/out")" -eq 0 ] || failed_run 'a line without a name'
# times since the first sample of all
run "$SONDE" script --reltime -G "$many" "$dwarf"
want_out '^perf6.1-dwarf.data: .* 0\.000000: '
[ "$(grep -c -E ' 0\.000000: ' "$tmp/out")" -eq 1 ] || failed_run 'more than one beginning'
# a part of the time of all, and a stream among them
run sh -c '"$0" script --time 65.76, "$2" - <"$1"' "$SONDE" "$many" "$dwarf"
want_out '^perf6.1-many.data|^ *-: '
"$SONDE" script --time 65.76, "$many" >"$tmp/alone" 2>/dev/null
[ "$(wc -l <"$tmp/out")" -eq "$(wc -l <"$tmp/alone")" ] || failed_run 'other lines of the stream'
# files of one name are told apart by their paths
mkdir "$tmp/x" "$tmp/y"
cp "$dwarf" "$tmp/x/perf.data"
cp "$many" "$tmp/y/perf.data"
run "$SONDE" script --ns "$tmp/x/perf.data" "$tmp/y/perf.data"
expect "$tmp/x/perf.data" "$tmp/x/perf.data" "$tmp/y/perf.data" "$tmp/y/perf.data" --ns

# a perf.data and a trace.dat, by one clock or by clocks of which nothing is known
"$SONDE" convert --to v7 "$recorded/perf6.1-sched.data" "$tmp/sched.dat" 2>/dev/null
run "$SONDE" script --ns "$recorded/perf6.1-sched.data" "$tmp/sched.dat"
want_status 0
want_no_err
expect perf6.1-sched.data "$recorded/perf6.1-sched.data" '         sched.dat' "$tmp/sched.dat" --layout perf --ns
run "$SONDE" script "$one" "$recorded/perf6.1-sched.data"
want_err "^sonde: Warning: $recorded/perf6.1-sched.data: both are clocks of the scheduler"
want_out '^ *tc3.1-t6.dat: '
want_out '^perf6.1-sched.data: '
run "$SONDE" script --layout perf --ns "$one" "$two"
expect '     tc3.1-t6.dat' "$one" tc3.1-t7_inst.dat "$two" --layout perf --ns

# what there is no layout for
run "$SONDE" script --layout trace-cmd "$one" "$recorded/perf6.1-sched.data"
want_status 2
want_no_out
want_err 'the layout of trace-cmd is for a trace.dat'
run "$SONDE" script --filter sched_switch "$one" "$recorded/perf6.1-sched.data"
want_status 2
want_no_out
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
want_err "perf6\.1-clockid\.data: 1 clock whose offset"
for file in perf6.1-sched.data tc3.1-t6.dat perf6.1-clockid.data; do
	want_out "$file "
done
run "$SONDE_BUILD/examples/example-several" "$tmp/missing"
want_status 1
