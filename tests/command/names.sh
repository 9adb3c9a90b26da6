#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh - who and where as perf tells it: threads named later, idle tasks, addresses in modules without symbols
. "$SONDE_SOURCE/tests/lib.sh"

need_corpus
need_command perf
perfs=$SONDE_CORPUS/perf

# rows FILE SORT PATTERN: the rows of both that match, without the white space that depends on widths
rows() {
	run "$SONDE" report --no-children -g none --sort "$2" "$perfs/$1"
	grep -E "$3" "$tmp/out" | grep % | sed 's/ *$//; s/  */ /g' | LC_ALL=C sort >"$tmp/ours"
	perf report --stdio --no-children -g none --sort "$2" -i "$perfs/$1" </dev/null 2>/dev/null | grep -v '^#' |
		grep -E "$3" | grep % |
		sed 's/ *$//; s/  */ /g' | LC_ALL=C sort >"$tmp/theirs"
	[ -s "$tmp/theirs" ] || fail "perf has no rows of $1 that match $3"
	diff "$tmp/ours" "$tmp/theirs" >"$tmp/diff" || fail "$1 by $2: $(cat "$tmp/diff")"
}

# samples before the first COMM of their thread have its name; in script, which prints as it goes, they have a number
rows lnt-fib-aarch64.perf_data comm .
run "$SONDE" export "$perfs/lnt-fib-aarch64.perf_data"
if grep -q '^:29;' "$tmp/out"; then failed_run 'folded stacks have a thread without its name'; fi
run "$SONDE" script -F comm,tid "$perfs/lnt-fib-aarch64.perf_data"
want_out '^ *:29 +29'

# the idle task, whatever process number it has
rows quipper-perf.data.systemwide.1-3.8 comm .

# a module of which nothing is at hand: offsets in its file, in rows and after dsoff
for f in quipper-perf.data.piped.extradata-3.4 perfparser-contentsize.data quipper-perf.data.forkexit-3.8 \
	aosp-perf.data; do
	rows "$f" dso,sym ' \[[a-z0-9_]+\] +\[k\] 0x'
done
run "$SONDE" script -G -F ip,sym,dso,dsoff "$perfs/perfparser-contentsize.data"
want_out '^ *ffffffffc0d0b463 \[unknown\] \(/lib/modules/4.9.0-4-amd64/kernel/arch/x86/kvm/kvm.ko\+0x13463\)$'
