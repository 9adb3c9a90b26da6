#!/bin/sh
# SPDX-License-Identifier: MIT
# trace_convert.sh - `sonde convert` of a trace.dat: versions, compressions, what is refused, what others make of the
# result
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
recorded=$SONDE_CORPUS/recorded

# version FILE, compression FILE: as the first bytes say
version() {
	dd if="$1" bs=1 skip=10 count=1 2>/dev/null
}

compression() {
	dd if="$1" bs=1 skip=18 count=4 2>/dev/null
}

# same_text FILE: $tmp/new.dat has the same events
same_text() {
	run "$SONDE" script "$1"
	cp "$tmp/out" "$tmp/before"
	run "$SONDE" script "$tmp/new.dat"
	cmp "$tmp/out" "$tmp/before" || fail "$ran: another text than that of $1"
}

# accepted FILE: trace-cmd reads $tmp/new.dat as it reads FILE
accepted() {
	command -v trace-cmd >/dev/null 2>&1 || { skip_part "there is no trace-cmd"; return 0; }
	trace-cmd report -i "$1" >"$tmp/before" 2>/dev/null || return 0  # built without zlib
	trace-cmd report -i "$tmp/new.dat" >"$tmp/after" 2>/dev/null || return 0
	cmp "$tmp/after" "$tmp/before" || fail "trace-cmd report: another text than that of $1"
	trace-cmd dump --validate -i "$tmp/new.dat" >"$tmp/after" || fail "trace-cmd dump --validate"
}

# convert FILE VERSION COMPRESSION OPTION...
convert() {
	file=$recorded/$1 want=$2 packed=$3
	shift 3
	rm -f "$tmp/new.dat"
	run "$SONDE" convert "$@" "$file" "$tmp/new.dat"
	want_status 0
	want_no_err
	[ "$(version "$tmp/new.dat")" = "$want" ] || fail "$ran: version $(version "$tmp/new.dat")"
	[ "$want" = 6 ] || [ "$(compression "$tmp/new.dat")" = "$packed" ] || fail "$ran: $(compression "$tmp/new.dat")"
	[ "$(stat -c %a "$tmp/new.dat")" = 600 ] || fail "the output is not its owner's alone"
	same_text "$file"
	accepted "$file"
}

# little and big endian, 4 and 8 bytes of long; one buffer and several, pages that were lost, buffers without pages
for f in tc3.1-t7_inst armhf-t7inst s390x-t7inst s390x-t7lost tc3.1-t7_nop_noev tc3.4-t7_zlib; do
	convert $f.dat 6 - --to v6
	convert $f.dat 7 none --compression none
	convert $f.dat 7 zlib --compression zlib
	convert $f.dat 7 zstd --compression zstd -z 9
done
for f in tc3.1-t6_inst armhf-t6 s390x-t6; do
	convert $f.dat 7 none --file-version 7
	convert $f.dat 7 zstd --to v7 -z
	convert $f.dat 7 zlib --to v7 --compression zlib
	convert $f.dat 6 - --to v6
	cmp "$tmp/new.dat" "$recorded/$f.dat" || fail "$f.dat is not the same"
done

# there and back again: the same pages at the same places
convert tc3.1-t6_inst.dat 7 none --to v7
mv "$tmp/new.dat" "$tmp/seven.dat"
run "$SONDE" convert --to v6 "$tmp/seven.dat" "$tmp/new.dat"
want_status 0
same_text "$recorded/tc3.1-t6_inst.dat"

# what version 6 has no place for is named
cp "$recorded/tc3.4-t7_fgraph.dat" "$tmp/more.dat"
chmod u+w "$tmp/more.dat"
printf '\031\0\0\0\377\377\377\377\4\0\0\0\0\0\0\0text\144\0\0\0\377\377\377\377\4\0\0\0\0\0\0\0more' >>"$tmp/more.dat"
run "$SONDE" convert --to v6 "$tmp/more.dat" "$tmp/new.dat"
want_status 0
want_err 'lists of modules, which version 6 cannot hold'
want_err 'unknown sections?, which version 6 cannot hold'
run "$SONDE" convert --compression none "$tmp/more.dat" "$tmp/new.dat"
want_status 0
want_no_err
tail -c 40 "$tmp/new.dat" >"$tmp/tail"
tail -c 40 "$tmp/more.dat" | cmp - "$tmp/tail" || fail 'a section of which nothing is known was not carried'

# what is refused
for how in '--attr-size 96' '--endian big' '--to v6 -z' '--to v6 --compression zstd'; do
	# shellcheck disable=SC2086  # several words
	run "$SONDE" convert $how "$recorded/tc3.1-t7_none.dat" "$tmp/refused.dat"
	want_status 1
	[ ! -e "$tmp/refused.dat" ] || fail "$ran: a file was left"
done
run "$SONDE" convert "$recorded/tc3.1-t7_none.dat" -
want_status 1
want_err 'cannot be written to a pipe'
run "$SONDE" convert --to v7 -z "$recorded/tc3.1-t7_trunc_data.dat" "$tmp/refused.dat"
want_status 1
want_err "'sonde repair' comes first"
for how in '--file-version 5' '--compression lz4' '--to v8' '-z 0' '--no-compress -z'; do
	# shellcheck disable=SC2086  # several words
	run "$SONDE" convert $how "$recorded/tc3.1-t7_none.dat" "$tmp/refused.dat"
	want_status 2
done
