#!/bin/sh
# SPDX-License-Identifier: MIT
# memory_short.sh PROGRAM - a small recording with call chains and symbols of this machine, exported while memory is
# short
. "$SONDE_SOURCE/tests/lib.sh"

"$SONDE" record -q -g -F 500 -e cpu-clock:u -o "$tmp/a" -- sh -c 'seq 100000 | sort -R --parallel=1' >/dev/null 2>&1 ||
	skip "nothing can be recorded here"
XDG_CACHE_HOME=/dev/null "$1" "$tmp/a"
