#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh - what `meson install` leaves behind is enough to build a program with pkg-config, shared and static
. "$SONDE_SOURCE/tests/lib.sh"

[ "$SONDE_SANITIZE" = none ] || skip "not for sanitizer builds"
need_command pkg-config
root=$tmp/root
meson install -C "$SONDE_BUILD" --no-rebuild --quiet --destdir "$root" >"$tmp/log" 2>&1 ||
	{ cat "$tmp/log"; fail "meson install"; }
pc=$(find "$root" -name sonde.pc)
prefix=$root$(sed -n 's/^prefix=//p' "$pc")
lib=$(find "$prefix" -name libsonde.a)
lib=${lib%/*}
export PKG_CONFIG_PATH="${pc%/*}"
pkg() {
	pkg-config --define-variable=prefix="$prefix" "$@" sonde
}

# Functions that the library has too, under names that are its own business.
cat >"$tmp/user.c" <<'END'
#include <sonde/trace.h>
#include <stdio.h>

int buf_put(void), err_set(void), found(void);
int buf_put(void) { return 1; }
int err_set(void) { return 2; }
int found(void) { return 3; }

int main(void)
{
	struct sonde_trace *t = sonde_trace_new();
	int r = sonde_trace_open(t, "/nonexistent", NULL);

	printf("%s %d %d\n", sonde_version(), r == -SONDE_SYSTEM, buf_put() + err_set() + found());
	sonde_trace_free(t);
	return 0;
}
END
want="$(pkg --modversion) 1 6"

# shellcheck disable=SC2046,SC2086  # lists of words
$CC -o "$tmp/shared" "$tmp/user.c" $(pkg --cflags --libs) || fail "a program does not link with the shared library"
run env LD_LIBRARY_PATH="$lib" "$tmp/shared"
want_status 0
want_out "^$want\$"
LD_LIBRARY_PATH=$lib ldd "$tmp/shared" | grep -q "$lib/libsonde\.so\.0" ||
	fail "the program does not use the shared library"

rm "$lib"/libsonde.so*
# shellcheck disable=SC2046,SC2086
$CC -o "$tmp/static" "$tmp/user.c" $(pkg --cflags --libs --static) ||
	fail "a program does not link with the static library"
run "$tmp/static"
want_status 0
want_out "^$want\$"

# Each example, as somebody who has copied it would build it.
for source in "$SONDE_SOURCE"/examples/*.c "$SONDE_SOURCE"/examples/*.cc; do
	compiler=$CC
	case $source in
	*.cc) compiler=${CXX:-} ;;
	esac
	[ -n "$compiler" ] || { echo "no C++ compiler: ${source##*/} was not compiled"; continue; }
	# shellcheck disable=SC2046,SC2086
	$compiler -o "$tmp/example" "$source" $(pkg --cflags --libs --static) ||
		fail "${source##*/} does not link with the static library"
done

man3=$([ ! -d "$SONDE_BUILD/docs/man3" ] || echo share/man/man3/libsonde.3 share/man/man3/sonde_trace_open.3)
for file in bin/sonde share/man/man1/sonde.1 $man3 share/bash-completion/completions/sonde; do
	[ -s "$prefix/$file" ] || fail "$file is not installed"
done
