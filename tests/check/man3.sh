#!/bin/sh
# SPDX-License-Identifier: MIT
# man3.sh - every public function has a manual page, and formatters find nothing wrong with the pages
. "$SONDE_SOURCE/tests/lib.sh"

pages=$SONDE_BUILD/docs/man3
[ -d "$pages" ] || skip 'there are no pages, which python3 makes'

# A page of each function and of each header; the page of a function has its declaration.
for header in "$SONDE_SOURCE"/include/sonde/*.h; do
	name=${header##*/}
	[ -s "$pages/sonde_${name%.h}.3" ] || echo "no page of $name"
	grep -q "sonde/$name>" "$pages/libsonde.3" || echo "libsonde.3 does not name $name"
	sed -n 's/^SONDE_API [^(]*\(sonde_[a-z0-9_]*\)(.*/\1/p' "$header" | while read -r function; do
		[ -s "$pages/$function.3" ] || echo "no page of $function"
		grep -q "^\.SS .*$function()" "$pages/sonde_${name%.h}.3" || echo "$name: $function is not described"
	done
done >"$tmp/wrong"
! grep -rn '^[^ ].*@[a-z]' "$pages" >>"$tmp/wrong" || echo 'an argument is not marked' >>"$tmp/wrong"

cd "$SONDE_BUILD/docs"
for page in man3/*.3; do
	if command -v groff >/dev/null; then
		groff -ww -man -Tutf8 -z "$page" || echo "$page: groff failed"
	fi
	# a page that refers to another one is for mandoc a warning by itself
	if command -v mandoc >/dev/null && ! grep -q '^\.so ' "$page"; then
		mandoc -Tlint -Wwarning "$page" || true
	fi
done >>"$tmp/wrong" 2>&1
cat "$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail 'manual pages of section 3'

command -v groff >/dev/null || skip 'there is no groff'
for page in sonde_trace_open sonde_perf_writer libsonde; do
	[ -n "$(soelim -r "man3/$page.3")" ] || fail "$page refers to nothing"
	groff -man -Tascii -P-cbou "man3/$page.3" >"$tmp/$page" || fail "groff $page"
done
grep -q 'int sonde_perf_writer_finish(struct sonde_perf_writer \*w);' "$tmp/sonde_perf_writer" ||
	fail 'a declaration is not shown'
grep -q 'sonde_trace(3)' "$tmp/libsonde" || fail 'libsonde(3) does not refer to the pages of headers'
