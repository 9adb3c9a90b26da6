#!/bin/sh
# SPDX-License-Identifier: MIT
# trace_cut.sh - `sonde cut` of a trace.dat: what is chosen is what `sonde script` chooses of the whole
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
recorded=$SONDE_CORPUS/recorded

# cut FILE OPTION...: into $tmp/part.dat, which breaks no rule and which trace-cmd accepts
cut() {
	whole=$recorded/$1
	shift
	run "$SONDE" cut "$@" "$whole" "$tmp/part.dat"
	want_status 0
	want_no_err
	run "$SONDE" check "$tmp/part.dat"
	want_out ', 0 errors, 0 warnings, '
	command -v trace-cmd >/dev/null 2>&1 || { skip_part "there is no trace-cmd"; return 0; }
	run trace-cmd dump --validate -i "$tmp/part.dat"
	want_out 'is a valid trace-cmd file'
}

# events: how many there are in $tmp/part.dat
events() {
	"$SONDE" check "$tmp/part.dat" | sed -n 's/.*: \([0-9]*\) records,.*/\1/p'
}

for f in tc3.1-t6_inst tc3.1-t7_inst s390x-t7lost armhf-t7 tc3.1-t7_lost; do
	run "$SONDE" script "$recorded/$f.dat"
	lines=$(wc -l <"$tmp/out")
	from=$(sed -n "$((lines / 3))p" "$tmp/out" | grep -o ' [0-9]*\.[0-9]*:' | head -n 1 | tr -d ' :')
	to=$(sed -n "$((lines * 2 / 3))p" "$tmp/out" | grep -o ' [0-9]*\.[0-9]*:' | head -n 1 | tr -d ' :')
	"$SONDE" script --time "$from,$to" "$recorded/$f.dat" >"$tmp/want" 2>"$tmp/err"
	cut $f.dat --time "$from,$to"
	run "$SONDE" script "$tmp/part.dat"
	cmp "$tmp/out" "$tmp/want" || fail "$f: another text than that of the whole"
	"$SONDE" script -C 1 "$recorded/$f.dat" >"$tmp/want" 2>"$tmp/err"
	cut $f.dat -C 1
	run "$SONDE" script "$tmp/part.dat"
	cmp "$tmp/out" "$tmp/want" || fail "$f: another text of one CPU"
	cut $f.dat --max-pages 1
done

file=tc3.1-t7_inst.dat
cut $file --max-events 10
[ "$(events)" -eq 10 ] || fail "$(events) events, expected 10"
cut $file -e sched:sched_switch -C 0
[ "$(events)" -eq 22 ] || fail "$(events) events of sched_switch, expected 22"
run "$SONDE" script -C 0 "$recorded/$file"
pid=$(grep -o -m 1 'workload *-*[0-9]*' "$tmp/out" | grep -o '[0-9]*$' | head -n 1)
[ -n "$pid" ] || pid=0
cut $file --tid "$pid"
run "$SONDE" info --json "$recorded/$file"
name=$(grep -o '"buffers":\[.*' "$tmp/out" | grep -o '"name":"[^"]*"' | sed -n '2s/"name":"\(.*\)"/\1/p')
cut $file -B "$name"
run "$SONDE" info --json "$tmp/part.dat"
want_out "\"name\":\"$name\""
[ "$(events)" -gt 0 ] || fail 'no events of the instance'

run "$SONDE" cut -B none "$recorded/$file" "$tmp/none.dat"
want_status 1
want_err 'has no such buffer'
run "$SONDE" cut -e none "$recorded/$file" "$tmp/none.dat"
want_status 2
want_err "there is no event 'none'"
[ "$(grep -o 'sched:sched_switch' "$tmp/err" | wc -l)" -eq 1 ] || fail 'each buffer lists its events'
run "$SONDE" cut --drop raw "$recorded/$file" "$tmp/none.dat"
want_status 1
run "$SONDE" cut --max-pages 3 "$recorded/perf6.1-many.data" "$tmp/none.dat"
want_status 1
want_err 'only a trace.dat'
[ ! -e "$tmp/none.dat" ] || fail 'a failed run left a file'
