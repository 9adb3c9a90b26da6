#!/bin/sh
# SPDX-License-Identifier: MIT
# convert.sh - `sonde convert` of a perf.data: what it takes, what it says, where it does not write, pipes
. "$SONDE_SOURCE/tests/lib.sh"

for words in "--to tape a b" "--endian middle a b" "-z99x a b" "-z --no-compress a b" "--aligned --no-compress a b" \
	"a"; do
	# shellcheck disable=SC2086  # words
	run "$SONDE" convert $words
	want_status 2
done
run "$SONDE" convert "$tmp/none" "$tmp/out.data"
want_status 1
want_err "^sonde: $tmp/none: .*No such file"

need_corpus
recorded=$SONDE_CORPUS/recorded
dwarf=$recorded/perf6.1-dwarf.data

# converted OPTION... : of $tmp/in to $tmp/made, without a word
converted() {
	rm -rf "$tmp/made"
	run "$SONDE" convert "$@" "$tmp/in" "$tmp/made"
	want_status 0
	[ ! -s "$tmp/err" ] || fail "convert $*: $(cat "$tmp/err")"
}

same_text() {
	"$SONDE" script "$1" >"$tmp/one" 2>/dev/null
	"$SONDE" script "$2" >"$tmp/other" 2>/dev/null
	[ -s "$tmp/one" ] || fail "$1 has no samples"
	cmp -s "$tmp/one" "$tmp/other" || fail "$2 says something else than $1"
}

# Packed and back, in any order of steps.
cp "$dwarf" "$tmp/in"
converted --rebuild
cmp "$tmp/in" "$tmp/made"
converted -z
[ "$(wc -c <"$tmp/made")" -lt "$(($(wc -c <"$tmp/in") / 2))" ] || fail "-z saves less than half"
same_text "$tmp/in" "$tmp/made"
mv "$tmp/made" "$tmp/in"
converted --aligned
run "$SONDE" dump "$tmp/made"
grep -q 'COMPRESSED2' "$tmp/out" || fail "no aligned records"
converted -z9
same_text "$dwarf" "$tmp/made"
converted --no-compress
run "$SONDE" info "$tmp/made"
! grep -q '^# compressed' "$tmp/out" || fail "the feature COMPRESSED is still there"
same_text "$dwarf" "$tmp/made"
run "$SONDE" convert --compression zlib "$tmp/in" "$tmp/other.data"
want_status 1
want_err 'zstd, not with zlib'

# Directories.
cp "$recorded/perf6.1-sched.data" "$tmp/in"
rm -rf "$tmp/made"
run "$SONDE" convert --to dir "$tmp/in" "$tmp/made"
want_status 0
[ -s "$tmp/made/data" ] || fail "no data"
[ -s "$tmp/made/data.1" ] || fail "not a file for each CPU"
same_text "$tmp/in" "$tmp/made"
run "$SONDE" convert --to dir "$tmp/in" "$tmp/made"
want_status 1
want_err 'is there already'
mkdir "$tmp/empty"
run "$SONDE" convert -z --endian big "$tmp/made" "$tmp/empty"
want_status 0
same_text "$tmp/in" "$tmp/empty"
run "$SONDE" convert --to file "$tmp/empty" "$tmp/one.data"
want_status 0
same_text "$tmp/in" "$tmp/one.data"
run "$SONDE" convert --to dir "$tmp/in" -
want_status 1
want_err 'a directory needs a name'
ln -s "$tmp/empty" "$tmp/link"
run "$SONDE" convert --to dir "$tmp/in" "$tmp/link"
want_status 1
left=$(find "$tmp" -mindepth 1 -name '*.??????' | wc -l)
[ "$left" -eq 0 ] || fail "something unfinished was left behind"

# Samples without a time come after what stands before them: all of them stay in one file.
"$SONDE" convert --to dir "$recorded/perf6.1-perthread.data" "$tmp/untimed" 2>/dev/null
[ -e "$tmp/untimed/data.0" ] || fail "perf refuses a directory without data.0"
[ ! -s "$tmp/untimed/data.0" ] || fail "samples without a time left their place"
same_text "$recorded/perf6.1-perthread.data" "$tmp/untimed"

# Through pipes, either way.
"$SONDE" convert --to pipe - - <"$dwarf" 2>/dev/null | "$SONDE" convert -z --to file - "$tmp/piped.data" 2>/dev/null
same_text "$dwarf" "$tmp/piped.data"
"$SONDE" convert --to pipe "$dwarf" "$tmp/named.data" 2>/dev/null
"$SONDE" dump -i "$tmp/named.data" >"$tmp/named"
grep -q 'type: 0x2 NAME' "$tmp/named" || fail "a stream does not name its events as perf reads them"
run "$SONDE" convert --to file "$dwarf" -
want_status 0  # a copy; what has to be put together needs a file
run "$SONDE" convert -z "$dwarf" -
want_status 1
want_err 'only a stream can be written to the standard output'

# Attrs for older readers: what is lost is named, what is needed is not given up.
run "$SONDE" convert --attr-size 64 "$dwarf" "$tmp/old.data"
want_status 1
want_err 'samples cannot be read without sample_regs_user'
[ ! -e "$tmp/old.data" ] || fail "a failed run left a file behind"
run "$SONDE" convert --attr-size 64 "$recorded/perf6.1-clockid.data" "$tmp/old.data"
want_status 0
want_err 'attr has clockid, for which attrs of 64 bytes have no place'
same_text "$recorded/perf6.1-clockid.data" "$tmp/old.data"
cp "$recorded/perf6.1-sched.data" "$tmp/in"
converted --attr-size 128
cmp "$tmp/in" "$tmp/made"
run "$SONDE" convert --attr-size 100 "$tmp/in" "$tmp/made"
want_status 1
want_err 'whole words of 8'

# Byte orders: what keeps its own is named.
run "$SONDE" convert --endian big "$SONDE_CORPUS/perf/aosp-lbr-perf_lbr.data" "$tmp/big.data"
want_status 0
want_err 'in the byte order of the recorder: header features that are not known'
[ "$(head -c 8 "$tmp/big.data")" = 2ELIFREP ] || fail "no big-endian file"

# A killed recorder's file is one for repair.
run "$SONDE" convert -z "$recorded/perf6.1-killed9.data" "$tmp/out.data"
want_status 1
want_err "'sonde repair' comes first"
