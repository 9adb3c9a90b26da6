#!/bin/sh
# SPDX-License-Identifier: MIT
# oracles.sh - frames of addresses of small programs, in every way to write DWARF, against addr2line of others
. "$SONDE_SOURCE/tests/lib.sh"

here=$SONDE_SOURCE/tests/lines
frames=$1
need_command python3
# each of them is wrong somewhere: with two it is not known which
need_command addr2line
need_command eu-addr2line
need_command llvm-addr2line

# make COMPILER OPTION...: $tmp/NAME of the program; false if the compiler does not know the options
make_program() {
	compiler=$1
	shift
	command -v "$compiler" >/dev/null 2>&1 || return 1
	name=$(echo "$compiler $*" | tr ' /' '__')
	mkdir -p "$tmp/$name"
	(cd "$tmp/$name" && "$compiler" -std=c++14 "$@" -o program "$here/program.cc" 2>/dev/null)
}

compared=0
compare() {
	"$here/compare.py" --addresses 300 "$frames" "$tmp/$name/program" || fail "$name"
	compared=$((compared + 1))
}

# An oracle without an index of addresses finds nothing in what clang writes by default.
for options in '-gdwarf-4 -O2' '-gdwarf-5 -O2' '-gdwarf-3 -O1' '-gdwarf-5 -O2 -gsplit-dwarf' '-gdwarf-4 -O2 -gz' \
	'-gdwarf-5 -O2 -ffunction-sections -Wl,--gc-sections'; do
	for compiler in 'g++' 'clang++ -gdwarf-aranges'; do
		# shellcheck disable=SC2086
		make_program $compiler $options || continue
		compare
	done
done
if command -v dwz >/dev/null && make_program g++ -g -O2 -DDWZ; then
	cp "$tmp/$name/program" "$tmp/$name/other"
	(cd "$tmp/$name" && dwz -m common -h program other) || fail "dwz"
	compare
fi
if command -v rustc >/dev/null && mkdir -p "$tmp/rust"; then
	name=rust
	echo 'fn main() { let mut v: Vec<String> = std::env::args().collect(); v.sort(); println!("{:?}", v); }' \
		>"$tmp/rust/program.rs"
	(cd "$tmp/rust" && rustc -O -g program.rs -o program 2>"$tmp/err") && compare
fi
[ "$compared" -ge 6 ] || fail "only $compared programs were compared"
