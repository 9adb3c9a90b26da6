#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh - each public header compiles alone, as C and as C++, with the warnings a user may have on
. "$SONDE_SOURCE/tests/lib.sh"

bad=0
for h in "$SONDE_SOURCE"/include/sonde/*.h; do
	name=sonde/${h##*/}
	echo "#include <$name>" >"$tmp/one.c"
	cp "$tmp/one.c" "$tmp/one.cc"
	# shellcheck disable=SC2086  # CC may be several words
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$SONDE_SOURCE/include" -fsyntax-only "$tmp/one.c" || bad=1
	# shellcheck disable=SC2086
	[ -z "${CXX:-}" ] ||
		$CXX -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$SONDE_SOURCE/include" \
			-fsyntax-only "$tmp/one.cc" || bad=1
	if grep -n '#include' "$h" | grep -v -E '<(sonde/[a-z_]+\.h|std(bool|def|int)\.h)>'; then
		echo "$name: includes more than sonde/ and the basic types"
		bad=1
	fi
done
[ -n "${CXX:-}" ] || echo "no C++ compiler: the headers were compiled as C only"
[ "$bad" -eq 0 ] || fail "public headers"
