#!/bin/sh
# SPDX-License-Identifier: MIT
# static_library.sh OUT OBJCOPY AR LINK... - libsonde.a, in which only the public functions can be seen
#
# LINK... links all rooms into one object (cc -r ...). Symbols that are hidden in the shared library become local in it,
# so that a program can have functions of the same names.
set -eu
out=$1 objcopy=$2 ar=$3
shift 3
"$@" -o "$out.o"
"$objcopy" --localize-hidden "$out.o"
rm -f "$out"
"$ar" rcs "$out" "$out.o"
rm "$out.o"
