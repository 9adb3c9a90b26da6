#!/bin/sh
# SPDX-License-Identifier: MIT
# redact.sh - `sonde convert --redact`: what is renamed, what is taken out, and that a leak is found
. "$SONDE_SOURCE/tests/lib.sh"

need_corpus
recorded=$SONDE_CORPUS/recorded

redact() {
	rm -f "$tmp/new"
	run "$SONDE" convert --redact "$@" "$tmp/new"
	want_status 0
}

# strings of tracepoints, and the names of the tracing data
redact "$recorded/perf6.1-sched.data"
run "$SONDE" script -i "$tmp/new"
want_status 0
want_out 'comm-[0-9]+ +197 .*sched_switch: prev_comm=comm-[0-9]+ prev_pid=197 .* next_comm=(comm-[0-9]+|swapper/0) '
want_out '^ +swapper +0 '
run grep -c -a -E 'workload|/usr/bin|ksoftirqd' "$tmp/new"
want_out '^0$'

# a name is the same one everywhere: as many rows of as many samples
for file in perf6.1-sched.data perf6.1-zfile.data s390x-tp.data perf7.2-defer.data; do
	redact "$recorded/$file"
	for sort in comm dso; do
		"$SONDE" report --no-children -g none -s $sort -n -i "$recorded/$file" 2>/dev/null |
			awk '!/^#/ { print $1, $2 }' | sort >"$tmp/before"
		"$SONDE" report --no-children -g none -s $sort -n -i "$tmp/new" 2>/dev/null |
			awk '!/^#/ { print $1, $2 }' | sort >"$tmp/after"
		[ -s "$tmp/before" ] || fail "no report of $file"
		cmp -s "$tmp/before" "$tmp/after" || fail "$file: another report by $sort"
	done
done

# stacks are gone, registers and chains are not
redact "$recorded/perf6.1-dwarf.data"
[ "$(wc -c <"$tmp/new")" -lt "$(($(wc -c <"$recorded/perf6.1-dwarf.data") / 4))" ] || fail "the stacks are still there"
run "$SONDE" check "$tmp/new"
want_status 0

# it needs something that can be read again
run "$SONDE" convert --redact --to pipe "$recorded/perf6.1-sched.data" -
want_status 1
want_no_out
want_err 'cannot go to the standard output'

# a path where a text is kept: the version of the kernel
cp "$recorded/perf6.1-sched.data" "$tmp/leak"
chmod u+w "$tmp/leak"
path=$("$SONDE" dump -i "$tmp/leak" | sed -n 's/^    filename: \(\/[^/]*\/[^ ]*\)$/\1/p' |
	grep -v /lib/modules | head -1)
at=$(grep -a -b -o '6\.1\.0-50-amd64' "$tmp/leak" | head -1 | cut -d: -f1)
printf '%s\0' "$path" | dd of="$tmp/leak" bs=1 seek="$at" conv=notrunc 2>/dev/null
rm -f "$tmp/new"
run "$SONDE" convert --redact "$tmp/leak" "$tmp/new"
want_status 1
want_err "would still hold \"$path\", so it was not kept"
[ ! -e "$tmp/new" ] || fail "what leaks was kept"
[ -z "$(find "$tmp" -name 'new.*')" ] || fail "what leaks lies beside it"
