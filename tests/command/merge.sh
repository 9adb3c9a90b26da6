#!/bin/sh
# SPDX-License-Identifier: MIT
# One perf.data out of several: what it has of each, how times are moved, what is refused.
# shellcheck source=tests/lib.sh
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
recorded=$SONDE_CORPUS/recorded
a=$recorded/perf6.1-freq.data
b=$recorded/perf6.1-dwarf.data

lines() {
	"$SONDE" script -F tid,time,ip --ns "$@" 2>/dev/null |
		awk '$2 ~ /^[0-9]+\.[0-9]+:$/ || $1 ~ /^[0-9]+\.[0-9]+:$/'
}

# the samples of both, by time
run "$SONDE" merge "$a" "$b" -o "$tmp/ab"
want_status 0
want_no_out
# what the header can say once is told
want_err 'command line of .*perf6.1-dwarf.data: .*perf record'
want_err 'whose header says something else than the first, .*CMDLINE'
run "$SONDE" check "$tmp/ab"
want_status 0
{
	lines -i "$a"
	lines -i "$b"
} | sort >"$tmp/parts"
lines -i "$tmp/ab" >"$tmp/whole"
sort "$tmp/whole" | cmp - "$tmp/parts" || fail "the lines are not those of the two recordings"
[ -s "$tmp/whole" ] || fail "there are no samples"
awk '{ print $2 }' "$tmp/whole" | sort -c -n || fail "the samples are not in the order of time"

# the order of inputs decides whose header it is, not what is in it
run "$SONDE" merge "$b" "$a" -o "$tmp/ba"
want_status 0
lines -i "$tmp/ba" | sort | cmp - "$tmp/parts" || fail "the lines depend on the order of the inputs"

# parts of one recording have the same ids of the same events
run "$SONDE" merge "$a" "$a" -o "$tmp/aa"
want_status 0
run "$SONDE" info --json --count -i "$tmp/aa"
want_out '"name": ?"cpu-clock", ?"ids": ?2, ?"leader": ?0, ?"samples": ?24,'
grep -q '"leader": *3' "$tmp/out" && fail "events of parts of one recording are there twice"

# times are moved by what --offset says
run "$SONDE" merge --offset 0,-1.5 "$a" "$b" -o "$tmp/moved"
want_status 0
first=$(lines -i "$b" | awk 'NR == 1 { printf "%.3f", $2 - 1.5 }')
lines -i "$tmp/moved" | awk '{ printf "%.3f\n", $2 }' | grep -q "^$first$" || fail "no sample at $first"
run "$SONDE" merge --offset 0,x "$a" "$b" -o "$tmp/none"
want_status 2
want_err "takes seconds for each input"

# clocks that say how they stand to the wall clock are aligned
run "$SONDE" merge "$recorded/perf6.1-clockid_real.data" "$recorded/perf6.1-clockid.data" -o "$tmp/clocks"
want_status 0
lines -i "$tmp/clocks" | awk '{ if ($2 < 1700000000) exit 1 }' || fail "a time is not that of the wall clock"

# streams
run sh -c '"$0" merge "$1" - -o - <"$2" >"$3"' "$SONDE" "$a" "$b" "$tmp/stream"
want_status 0
lines -i "$tmp/stream" | sort | cmp - "$tmp/parts" || fail "the stream has other lines"

# what cannot be
run "$SONDE" merge "$a" "$b"
want_status 2
cp "$a" "$tmp/copy"
run "$SONDE" merge "$b" "$tmp/copy" -o "$tmp/copy"
want_status 1
want_err 'is an input: nothing is written over it'
cmp "$a" "$tmp/copy" || fail "an input was changed"
run "$SONDE" merge "$a" "$recorded/perf6.1-stat_A.data" -o "$tmp/none"
want_status 1
want_err 'counts of perf stat cannot be merged'
run "$SONDE" merge "$a" "$tmp/absent" -o "$tmp/none"
want_status 1
want_err 'absent: cannot open'
[ ! -e "$tmp/none" ] || fail "a run that failed left a file"

# inputs of different byte orders: the new file has that of the first
"$SONDE" convert --endian big "$b" "$tmp/big" 2>/dev/null
run "$SONDE" merge "$a" "$tmp/big" -o "$tmp/mixed"
want_status 0
"$SONDE" script -i "$tmp/ab" >"$tmp/of-one-order"
"$SONDE" script -i "$tmp/mixed" | cmp - "$tmp/of-one-order" || fail "records of the other byte order are not the same"
run "$SONDE" merge "$tmp/big" "$a" -o "$tmp/mixed-big"
want_status 0
"$SONDE" script -i "$tmp/ba" >"$tmp/of-one-order"
"$SONDE" script -i "$tmp/mixed-big" | cmp - "$tmp/of-one-order" ||
	fail "records of the other byte order are not the same"
run "$SONDE" check "$tmp/mixed-big"
want_status 0
run "$SONDE" info "$tmp/mixed-big"
want_out '^# format .*, big-endian$'

# counts of several formats: what all have stays, single ones become groups of one, and nothing is refused for it
group=$recorded/perf6.1-groupS.data
timed=$SONDE_CORPUS/perf/aosp-perf_with_add_counter.data
ended=$recorded/perf7.2-inheritstat.data
reader=sonde
counted() {
	"$SONDE" script -F tid,time,event,period,ip -i "$1" 2>/dev/null | sed 's/  */ /g; s/^ //; s/ $//; /^$/d'
}
# union FILE FILE: the merged file, $tmp/counts, has the lines of both
union() {
	run "$SONDE" merge "$1" "$2" -o "$tmp/counts"
	want_status 0
	run "$SONDE" check "$tmp/counts"
	want_out ', 0 errors, '
	for part; do
		lines_of=$tmp/lines-$reader-${part##*/}
		[ -e "$lines_of" ] || counted "$part" >"$lines_of"
		cat "$lines_of"
	done | sort >"$tmp/parts"
	counted "$tmp/counts" | sort | cmp - "$tmp/parts" || fail "counts of $1 and $2 are not those of the merged file"
}
union "$group" "$timed"
run "$SONDE" merge "$group" "$timed" -o "$tmp/counts"
want_err 'events whose counts were read with lost, which .* left out, in .*groupS'
want_err 'events whose counts were read with time_enabled, time_running, which .* left out, in .*add_counter'
run "$SONDE" info --json "$tmp/counts"
grep -o '"read_format": *\[[^]]*\]' "$tmp/out" | tr -d ' ' | sort -u >"$tmp/formats"
[ "$(cat "$tmp/formats")" = '"read_format":["ID","GROUP"]' ] || fail "formats $(cat "$tmp/formats")"
union "$timed" "$group"
union "$recorded/armhf-multi.data" "$group"
# readers of the counts of ended tasks know no groups
union "$group" "$ended"
run "$SONDE" merge "$group" "$ended" -o "$tmp/counts"
want_err '[0-9]+ counts of ending tasks, in a format that the others do not have, in .*inheritstat'
# the same ids on two machines: the counts of each go on by themselves
"$SONDE" convert --redact "$group" "$tmp/elsewhere" 2>/dev/null
union "$group" "$tmp/elsewhere"
# in the other byte order too
"$SONDE" convert --endian big "$timed" "$tmp/big" 2>/dev/null
union "$group" "$tmp/big"

# perf reads it, and counts the samples of both
need_command perf
perf_lines() {
	perf script -F tid,time,event,ip -i "$1" 2>/dev/null | sed 's/  */ /g; s/^ //; s/ $//; /^$/d'
}
{
	perf_lines "$a"
	perf_lines "$b"
} | sort >"$tmp/parts"
perf_lines "$tmp/ab" | sort | cmp - "$tmp/parts" || fail "perf script prints other lines"

reader=perf
# what it takes for one recording with groups, or with other counts, it takes for both; it has other names for events
# that have none
counted() {
	perf script -F tid,time,event,period,ip -i "$1" 2>/dev/null |
		sed 's/:HG: / /; s/: / /g; s/  */ /g; s/^ //; s/[ :]*$//; /^$/d'
}
ended_counts() {
	perf report -T --stdio -i "$1" 2>/dev/null | awk 'NF == 3 && $1 ~ /^[0-9]+$/'
}
union "$group" "$timed"
cd "$tmp"
export PERF_BUILDID_DIR="$tmp/build-ids"
# shellcheck disable=SC2016  # it is for another shell
burn='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; (head -c 1000000 /dev/zero | cksum)'
for kind in group.data:'{cpu-clock,page-faults}:S' one.data:cpu-clock:S; do
	perf record -q -o "${kind%%:*}" -e "${kind#*:}" -- sh -c "$burn" >/dev/null 2>err ||
		skip "perf cannot record here: $(head -n 1 err)"
done
perf record -q -s -o times.data -e '{cpu-clock,page-faults}:S' -- sh -c "$burn" >/dev/null 2>&1
perf record -q -s -o ended.data -e cpu-clock -- sh -c "$burn" >/dev/null 2>&1
perf record -q -o none.data -e cpu-clock -- sh -c "$burn" >/dev/null 2>&1
"$SONDE" record -o sonde.data -e '{cpu-clock,task-clock}:S' -- sh -c "$burn" >/dev/null 2>&1
for files in 'group one' 'one times' 'group ended' 'none times' 'sonde times' 'one sonde'; do
	union "${files% *}.data" "${files#* }.data"
done
# counts of tasks lose their times, and are there
union ended.data one.data
[ "$(ended_counts ended.data | wc -l)" -gt 0 ] || fail 'no counts of tasks that have ended'
ended_counts ended.data | sort >parts
ended_counts counts | sort | cmp - parts || fail 'perf report -T shows other counts of tasks'

# what a recorder found at its start has no time: in the middle of the new file it gets that of the start, as readers
# want that order by time
hotspot=
for dir in /usr/lib/*/libexec /usr/libexec /usr/lib/libexec; do
	[ ! -x "$dir/hotspot-perfparser" ] || hotspot=$dir/hotspot-perfparser
done
run "$SONDE" merge "$b" "$b" -o "$tmp/hotspot"
want_status 0
if [ -n "$hotspot" ]; then
	"$hotspot" --input "$tmp/hotspot" --output "$tmp/parsed" >"$tmp/parser" 2>&1 </dev/null ||
		fail "hotspot-perfparser: $(cat "$tmp/parser")"
	! grep -q 'TimeOrderViolation' "$tmp/parser" || fail "hotspot-perfparser: $(grep TimeOrder "$tmp/parser")"
else
	skip_part "there is no hotspot-perfparser to read what was merged"
fi
