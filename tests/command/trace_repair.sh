#!/bin/sh
# SPDX-License-Identifier: MIT
# trace_repair.sh - `sonde check` and `sonde repair` of a trace.dat: each kind of damage, and that trace-cmd accepts the
# result
. "$SONDE_SOURCE/tests/lib.sh"
. "$SONDE_SOURCE/tests/damage.sh"

# mended NUMBER [MESSAGE]: repairs $tmp/damaged, which then has so many events
mended() {
	run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
	want_status 0
	want_err "$1 records recovered"
	[ -z "${2:-}" ] || want_err "$2"
	got=$(records "$tmp/mended")
	[ "$got" -eq "$1" ] || fail "$got events, expected $1"
	command -v trace-cmd >/dev/null 2>&1 || { skip_part "there is no trace-cmd"; return 0; }
	trace-cmd dump --validate -i "$tmp/mended" >"$tmp/out" 2>"$tmp/err" || failed_run 'trace-cmd dump --validate'
	[ "$(trace-cmd report -i "$tmp/mended" 2>/dev/null | grep -c -v '^cpus=\|^CPU .* is empty')" -ge "$1" ] ||
		fail "trace-cmd report: fewer events"
}

# found RULE: what `sonde check` says of $tmp/damaged
found() {
	run "$SONDE" check "$tmp/damaged"
	want_status 1
	want_out ": $1: "
}

# what is sound stays as it is
for f in tc3.1-t7_inst tc3.1-t6 s390x-t7none armhf-t7func; do
	run "$SONDE" check "$recorded/$f.dat"
	want_status 0
	run "$SONDE" repair -q "$recorded/$f.dat" "$tmp/mended"
	want_status 0
	want_no_err
	cmp "$tmp/mended" "$recorded/$f.dat" || fail "$f.dat was changed"
done

# cut in the pages: MANIFEST.md counts what is left
for f in tc3.1-t6_trunc_data:215 tc3.1-t7_trunc_data:189 tc3.1-t7_trunc_meta:0; do
	cp "$recorded/${f%:*}.dat" "$tmp/damaged"
	mended "${f#*:}"
done

file=tc3.1-t7_none.dat
whole=$(records "$recorded/$file")

# a recorder that was killed before it wrote where the options are
damage $file 24 '\0\0\0\0\0\0\0\0'
found dat-unfinished
mended "$whole"

# the chain of options leads nowhere: the pages are found without their table
options=$(od -A n -t u8 -j 24 -N 8 "$recorded/$file" | tr -d ' ')
size=$(od -A n -t u8 -j $((options + 8)) -N 8 "$recorded/$file" | tr -d ' ')
damage $file $((options + 8 + size)) '\377\377\377\377\377\377\377\177'
found dat-options-chain
mended "$whole"

# the first bytes are lost
damage $file 0 '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
mended "$whole" '1 unusable header'
damage tc3.1-t6.dat 0 '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
mended "$(records "$recorded/tc3.1-t6.dat")" '1 unusable header'

# a section whose size lies
damage $file $((32 + 8)) '\377\377\377\377\377\377\377\177'
found dat-section-cut
mended "$whole" 'HEADER_INFO|sections? with a wrong size'

# section OFFSET: $section, $flags and $next: the id and flags of the section there, and where it ends
section() {
	section=$(od -A n -t u2 -j "$1" -N 2 "$tmp/damaged" | tr -d ' ')
	flags=$(od -A n -t u2 -j $(($1 + 2)) -N 2 "$tmp/damaged" | tr -d ' ')
	next=$(($1 + 16 + $(od -A n -t u8 -j $(($1 + 8)) -N 8 "$tmp/damaged" | tr -d ' ')))
}

# a section that says it is compressed, and is not: nothing of it is left, and what is left can be written in any form
packed=tc3.1-t7_zstd.dat
whole_packed=$(records "$recorded/$packed")
damage $packed 0 ''
at=$(($(grep -a -b -o -m 1 zstd "$recorded/$packed" | head -n 1 | cut -d : -f 1) + 5))
at=$((at + $(tail -c +$((at + 1)) "$recorded/$packed" | head -c 32 | tr '\0' '\n' | head -n 1 | wc -c) + 8))
section $at
while [ "$section" -ne 20 ]; do
	at=$next
	section $at
done
[ "$flags" -eq 1 ] || fail 'the text of printk is not compressed'
for id in 22 23 99; do  # a latency text, BTF, and what nobody knows
	damage $packed $at "\\$(printf %o $id)"
	printf '\377\377\377\377' | dd of="$tmp/damaged" bs=1 seek=$((at + 24)) conv=notrunc 2>/dev/null
	found dat-section-compressed
	mended "$whole_packed" 'it cannot be decompressed'
	run "$SONDE" convert --to v6 "$tmp/mended" "$tmp/six"
	want_status 0
	run "$SONDE" convert --compression none "$tmp/mended" "$tmp/plain"
	want_status 0
	[ "$(records "$tmp/six")" -eq "$whole_packed" ] || fail 'events of version 6'
done

# the table of a buffer says that pages go on past their section
damage $packed 0 ''
run "$SONDE" info --json "$tmp/damaged"
at=$(sed 's/.*"id":3,"name":"BUFFER","file_offset":\([0-9]*\).*/\1/' "$tmp/out")
damage $packed $((at + 8 + 1 + 7 + 8 + 20 + 12)) '\377'  # of "", "global": the size of the second row
found dat-extent-section
mended "$whole_packed" 'beyond the end of their section'

# a page that says too much, and one with bytes that are no event: they cost themselves
page=$(($(stat -c %s "$recorded/tc3.1-t6.dat") - 4096))
damage tc3.1-t6.dat $((page + 8)) '\377\377\377\007'
found dat-page
run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
want_err 'pages? that says? that (it|they) holds? more than a page can'
records "$tmp/mended" >/dev/null
damage tc3.1-t6.dat $((page + 16)) '\0\0\0\0\377\377\377\377'
run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
want_status 0
want_err 'pages? with bytes that are no event: earlier events are kept'
records "$tmp/mended" >/dev/null

# the tool of U-Boot writes over the end of a page: all events are delivered, repair keeps those within the page
uboot=$SONDE_CORPUS/cases/uboot-proftool-funcgraph.dat
run "$SONDE" script "$uboot"
want_status 0
[ "$(grep -c ': funcgraph_e' "$tmp/out")" -eq 276 ] || fail "276 events of U-Boot"
want_out 'u-boot-1 .* 0.001000: funcgraph_entry: .*board_init_f'
run "$SONDE" check "$uboot"
want_out ': error: dat-page: '
run "$SONDE" repair "$uboot" "$tmp/mended"
want_status 0
want_err 'says that it holds more than a page can: what fits is kept'
[ "$(records "$tmp/mended")" -eq 371 ] || fail "371 records of U-Boot after repair"

# the table of version 6 was never written
damage tc3.1-t6.dat 0 ''
table=$(grep -a -b -o flyrecord "$recorded/tc3.1-t6.dat" | head -n 1 | cut -d : -f 1)
damage tc3.1-t6.dat $((table + 10)) '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
mended "$(records "$recorded/tc3.1-t6.dat")" 'without the table of whose they are'

# what a killed recorder leaves beside a file without pages is taken in
cp "$recorded/tc3.1-t7_nop_noev.dat" "$tmp/damaged"
cp "$recorded/tc3.1-t7_killed.dat.cpu0" "$tmp/damaged.cpu0"
cp "$recorded/tc3.1-t7_killed.dat.cpu1" "$tmp/damaged.one.cpu1"
run "$SONDE" repair "$tmp/damaged" "$tmp/mended"
want_status 0
run "$SONDE" info --json "$tmp/mended"
want_out '"name":"one"'
[ "$(records "$tmp/mended")" -gt 100 ] || fail 'events of the killed recorder'
rm "$tmp/damaged.cpu0" "$tmp/damaged.one.cpu1"

# the rules of both formats are in one list
run "$SONDE" check --rules
want_out '^error    dat-page-event '
want_out '^error    record-garbage '
