#!/bin/sh
# SPDX-License-Identifier: MIT
# model.sh - src/model knows no file format: no number of a perf record, no number of a trace.dat option, no tracefmt
. "$SONDE_SOURCE/tests/lib.sh"

# Names of a format, and enumerators or macros with a number of their own.
names() {
	grep -nE 'PERF_(RECORD|TYPE)_|SONDE_TYPE_|SECTION_|OPTION_|tracefmt|linux/perf_event' "$@"
	grep -nE '^#define [A-Z_]+ \(?[0-9]|[{,	 ][A-Z][A-Z_]+ = [0-9]' "$@" | grep -v 'MAX_ROWS\|READ_FORMAT_\|BRANCH_'
}

printf '%s\n' 'enum note { NOTE_CPUSTAT = 2 };' '#define RECORD_MMAP 1' 'struct tracefmt;' '/* PERF_RECORD_* */' \
	'int x = 2;' >"$tmp/bad.h"
[ "$(names "$tmp/bad.h" | wc -l)" -eq 4 ] || fail "the check does not find the names of a bad header"

cd "$SONDE_SOURCE"
names src/model/*.[ch] && fail "src/model names a file format"
exit 0
