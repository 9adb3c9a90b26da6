#!/bin/sh
# SPDX-License-Identifier: MIT
# cross.sh - tracepoints of a perf.data as a trace.dat and back: the same events, fields and times, and the other tools
# read them
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
need_command perf
need_command trace-cmd
recorded=$SONDE_CORPUS/recorded

# lines FILE: what both formats have of an event; the thread of one that exits is -1 for perf
lines() {
	"$SONDE" script --layout perf -F cpu,time,event,trace "$1" 2>/dev/null | sed 's/  */ /g; s/ *$//'
}

machine() {
	"$SONDE" info "$1" 2>/dev/null | sed -n 's/^# \(hostname\|os release\|arch\) *: /\1: /p'
}

# round NAME VERSION: perf.data to trace.dat and back
round() {
	run "$SONDE" convert --to "$2" "$recorded/$1" "$tmp/there.dat"
	want_status 0
	lines "$recorded/$1" >"$tmp/want"
	lines "$tmp/there.dat" >"$tmp/got"
	[ -s "$tmp/want" ] || fail "$1: nothing to compare"
	cmp "$tmp/want" "$tmp/got" || fail "$1 as $2: other events"
	trace-cmd report "$tmp/there.dat" 2>/dev/null | grep -c '[0-9]: ' >"$tmp/got"
	wc -l <"$tmp/want" >"$tmp/lines"
	[ "$(cat "$tmp/got")" -eq "$(cat "$tmp/lines")" ] ||
		fail "$1 as $2: trace-cmd shows $(cat "$tmp/got") of $(cat "$tmp/lines") events"
	machine "$recorded/$1" >"$tmp/machine"
	[ -s "$tmp/machine" ] || fail "$1: no machine to compare"
	machine "$tmp/there.dat" | cmp "$tmp/machine" - || fail "$1 as $2: another machine"
	run "$SONDE" check "$tmp/there.dat"
	want_status 0
	run "$SONDE" convert --to file "$tmp/there.dat" "$tmp/back.data"
	want_status 0
	lines "$tmp/back.data" | cmp "$tmp/want" - || fail "$1 as $2 and back: other events"
	run "$SONDE" check "$tmp/back.data"
	want_status 0
}
for name in perf6.1-sched perf6.1-many perf6.1-kmem; do
	round $name.data v7
	round $name.data v6
done
run "$SONDE" convert --to v7 -z "$recorded/perf6.1-sched.data" "$tmp/packed.dat"
lines "$tmp/packed.dat" | cmp - "$tmp/want" >/dev/null && fail "not the events of sched" # those of the last round
lines "$recorded/perf6.1-sched.data" >"$tmp/want"
lines "$tmp/packed.dat" | cmp "$tmp/want" - || fail "compressed: other events"
want_err 'MMAP2 records'

# a trace.dat that trace-cmd wrote, in either byte order, for perf
for name in tc3.4-t7_zlib tc3.1-t7_zstd s390x-t7sched; do
	[ -e "$recorded/$name.dat" ] || continue
	run "$SONDE" convert --to file "$recorded/$name.dat" "$tmp/there.data"
	want_status 0
	lines "$recorded/$name.dat" >"$tmp/want"
	lines "$tmp/there.data" | cmp "$tmp/want" - || fail "$name as a perf.data: other events"
	perf script -F tid,cpu,time,event -i "$tmp/there.data" 2>/dev/null | sed 's/  */ /g; s/ *$//' >"$tmp/got"
	"$SONDE" script --layout perf -F tid,cpu,time,event "$recorded/$name.dat" 2>/dev/null |
		sed 's/  */ /g; s/ *$//' | cmp - "$tmp/got" ||
		fail "$name as a perf.data: perf shows other events"
done

run "$SONDE" convert --to v7 "$recorded/perf6.1-dwarf.data" "$tmp/none.dat"
want_status 1
want_err 'no tracepoint'
[ ! -e "$tmp/none.dat" ] || fail "a failed run left a file behind"

# the same run, recorded by both: events of tasks, whose number and order do not depend on the recorder
[ "$(id -u)" -eq 0 ] && [ -e /sys/kernel/tracing/events/sched/sched_process_exit ] ||
	skip "not root, or no tracefs: the rest has passed"
cp /bin/true "$tmp/sonde-cross"
cat >"$tmp/work.sh" <<'END'
#!/bin/sh
for i in 1 2 3 4 5 6 7 8 9 10; do "${0%/*}/sonde-cross" $i; done
END
chmod +x "$tmp/work.sh"
perf record -q -a -k CLOCK_MONOTONIC -e sched:sched_process_exec,sched:sched_process_exit -o "$tmp/both.data" -- \
	"$SONDE" record --ftrace -q --clock mono -e sched:sched_process_exec -e sched:sched_process_exit \
		-a -o "$tmp/both.dat" -- "$tmp/work.sh" >"$tmp/log" 2>&1 ||
	skip "cannot record here: $(tail -1 "$tmp/log"); the rest has passed"
"$SONDE" convert --to v7 "$tmp/both.data" "$tmp/from-perf.dat" 2>/dev/null

# events FILE: time in microseconds, then the event, of one program
events() {
	"$SONDE" script --layout perf -F time,event,trace "$1" 2>/dev/null |
		grep -E '(filename=[^ ]*/sonde-cross|comm=sonde-cross)' |
		sed 's/^ *\([0-9]*\)\.\([0-9]\{6\}\)[0-9]*:/\1\2/; s/  */ /g'
}
events "$tmp/both.dat" >"$tmp/ftrace"
events "$tmp/from-perf.dat" >"$tmp/perf"
[ "$(wc -l <"$tmp/perf")" -eq 20 ] || fail "perf has $(wc -l <"$tmp/perf") events, expected 20"
paste -d '|' "$tmp/ftrace" "$tmp/perf" | awk -F '|' '
	{ split($1, a, " "); split($2, b, " "); d = a[1] - b[1]; sub("^[0-9]+ ", "", $1); sub("^[0-9]+ ", "", $2) }
	$1 != $2 || d > 100000 || d < -100000 { print "differs by", d, "us:", $1, "|", $2; bad = 1 }
	END { exit bad }' || fail "not the same events of one run"
