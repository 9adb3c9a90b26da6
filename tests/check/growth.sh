#!/bin/sh
# SPDX-License-Identifier: MIT
# growth.sh - a program that was built with the headers of an older or newer version works with this library
. "$SONDE_SOURCE/tests/lib.sh"

[ "$SONDE_SANITIZE" = none ] || skip "not for sanitizer builds"
need_command python3
need_command xz
xz -dc "$SONDE_SOURCE/tests/data/callgraph.data.xz" >"$tmp/perf.data"
xz -dc "$SONDE_SOURCE/tests/data/buffers.dat.xz" >"$tmp/trace.dat"
ln -s "$SONDE_SOURCE/include/sonde" "$tmp/sonde"
mkdir "$tmp/same" "$tmp/newer" "$tmp/older"
mv "$tmp/sonde" "$tmp/same/sonde"
for version in newer older; do
	python3 "$SONDE_SOURCE/tests/check/growth.py" "$SONDE_SOURCE/include/sonde" "$tmp/$version/sonde" $version ||
		fail "headers of a $version version"
done
for version in same newer older; do
	# shellcheck disable=SC2086  # CC may be several words
	$CC -I"$tmp/$version" -o "$tmp/program" "$SONDE_SOURCE/tests/check/growth.c" -L"$SONDE_BUILD/src" -lsonde ||
		fail "growth.c does not compile with headers of the $version version"
	for file in perf.data trace.dat; do
		LD_LIBRARY_PATH=$SONDE_BUILD/src "$tmp/program" "$tmp/$file" "$tmp/new.data" >"$tmp/$version.$file" ||
			fail "a program of the $version version fails on $file"
		[ "$(wc -l <"$tmp/$version.$file")" -gt 20 ] || fail "the program says little of $file"
		cmp "$tmp/same.$file" "$tmp/$version.$file" ||
			fail "a program of the $version version reads $file otherwise"
	done
done
