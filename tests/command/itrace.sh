#!/bin/sh
# SPDX-License-Identifier: MIT
# itrace.sh - perf's options about hardware traces, which scripts pass for every recording, are taken as perf takes them
. "$SONDE_SOURCE/tests/lib.sh"
shipped callgraph.data
cd "$tmp"
perf=$(command -v perf || :)
[ -n "$perf" ] || skip_part "there is no perf: the letters are not compared"

# one taken WORD, one refused WORD
one() {
	run "$SONDE" script "--itrace=$2" -i callgraph.data
	if [ "$1" = taken ]; then
		want_status 0
	else
		want_status 2
		want_no_out
		want_err "^sonde script: --itrace takes perf's letters, as i100us, cr or e-o, not '"
	fi
	case $2 in *[yT]*) return 0 ;; esac     # of perf 7
	[ -n "$perf" ] || return 0
	"$perf" script "--itrace=$2" -i callgraph.data >perf.out 2>&1 </dev/null || :
	if grep -q '^Bad Instruction Tracing' perf.out; then theirs=refused; else theirs=taken; fi
	[ "$theirs" = "$1" ] || fail "perf has '$2' $theirs"
}

for word in i ibxwpe i100us i10t i5i i1000ns i100ms i5 i0 'i100 us' y100us yc g g16 G1024 l64 Ll xg s100000 es10 e-o \
	e+o e-ol d+e d-a+o q qq A T Z f m M t a I o r c x b w p i,b 'i b' i,,b; do
	one taken "$word"
done
for word in i10s i100k i1us2 i1b k j z D 100 'i;b' g0 g1025 l0 l5000 s e- d+ e-1 O; do
	one refused "$word"
done

"$SONDE" script -i callgraph.data >plain.out
for words in script report annotate; do
	for option in --itrace --no-itrace --itrace=i100us '--itrace=cr --no-itrace'; do
		# shellcheck disable=SC2086
		run "$SONDE" "$words" $option -i callgraph.data
		want_status 0
		[ "$words" != script ] || cmp out plain.out || fail "$option changes the output"
	done
done

need_corpus
file=$SONDE_CORPUS/hwtrace/bts-sort.data
[ -f "$file" ] || skip "there is no $file"
for command in script report; do
	run "$SONDE" $command --itrace=i1 -i "$file"
	want_err "bts-sort.data: its hardware trace is not decoded: --itrace has no effect$"
	run "$SONDE" $command --no-itrace -i "$file"
	! grep -q itrace err || failed_run "nobody asked for the trace"
done
