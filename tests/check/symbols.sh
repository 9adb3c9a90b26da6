#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh - libsonde.so, libsonde.a, src/sonde.map, the public headers and their comments have the same functions
. "$SONDE_SOURCE/tests/lib.sh"

need_command nm
nm -D --defined-only "$SONDE_BUILD/src/libsonde.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	LC_ALL=C sort >"$tmp/exported"

# A declaration is explained by the comment that ends in the line before it, or before the declarations it stands with.
awk '
	FNR == 1 { explained = 0 }
	/\*\/[ \t]*$/ && !/SONDE_API/ { explained = 1; next }
	/^[ \t]*$/ { explained = 0; next }
	/^SONDE_API/ {
		if (!match($0, /sonde_[a-z0-9_]+\(/)) {
			print FILENAME ":" FNR ": a declaration must have its name in the first line" >"/dev/stderr"
			next
		}
		name = substr($0, RSTART, RLENGTH - 1)
		print name
		if (!explained)
			print FILENAME ":" FNR ": " name " has no comment" >"/dev/stderr"
		next
	}
	/^[a-z}#]/ && !/;/ { explained = 0 }
' "$SONDE_SOURCE"/include/sonde/*.h 2>"$tmp/wrong" | LC_ALL=C sort >"$tmp/declared"

LC_ALL=C comm -23 "$tmp/declared" "$tmp/exported" | sed 's/$/: declared, but not in the library/' >>"$tmp/wrong"
LC_ALL=C comm -13 "$tmp/declared" "$tmp/exported" |
	sed 's/$/: exported, but not declared in include\/sonde/' >>"$tmp/wrong"
uniq -d "$tmp/declared" | sed 's/$/: declared twice/' >>"$tmp/wrong"
[ -s "$tmp/declared" ] || fail "no declarations found"

# The map names every symbol: none is public by its prefix alone.
sed -n 's/^\t\t\([^;]*\);$/\1/p' "$SONDE_SOURCE/src/sonde.map" | grep -v -x '\*' >"$tmp/listed"
LC_ALL=C sort "$tmp/listed" | cmp -s - "$tmp/listed" || echo 'src/sonde.map: the symbols are not sorted' >>"$tmp/wrong"
grep -v -x '[a-z0-9_]*' "$tmp/listed" | sed 's/$/: in src\/sonde.map, but not a name/' >>"$tmp/wrong"
LC_ALL=C comm -23 "$tmp/declared" "$tmp/listed" | sed 's/$/: declared, but not in src\/sonde.map/' >>"$tmp/wrong"
LC_ALL=C comm -13 "$tmp/declared" "$tmp/listed" | sed 's/$/: in src\/sonde.map, but not declared/' >>"$tmp/wrong"

# A program that links statically may have functions of any other name.
nm -g --defined-only "$SONDE_BUILD/src/libsonde.a" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >"$tmp/archived"
LC_ALL=C comm -13 "$tmp/declared" "$tmp/archived" |
	sed 's/$/: in libsonde.a, but not declared in include\/sonde/' >>"$tmp/wrong"
LC_ALL=C comm -23 "$tmp/declared" "$tmp/archived" | sed 's/$/: declared, but not in libsonde.a/' >>"$tmp/wrong"
cat "$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail "the public functions"
