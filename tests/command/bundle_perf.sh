#!/bin/sh
# SPDX-License-Identifier: MIT
# bundle_perf.sh - perf and trace-cmd read a bundle as the recording that it is, without a word
. "$SONDE_SOURCE/tests/lib.sh"
need_command perf

shipped callgraph.data
shipped dwarf.data

# bundled FILE WHAT: the perfs say the same of the recording FILE and of its bundle WHAT
bundled() {
	cmp -n "$(wc -c <"$tmp/$1")" "$tmp/$1" "$tmp/$2" || fail "$2: the recording has changed"
	mv "$tmp/$1" "$tmp/plain.data"
	mv "$tmp/$2" "$tmp/bundle.data"
	for reader in perf "$SONDE_SOURCE/../shared/tools/newest-perf"; do
		command -v "$reader" >/dev/null 2>&1 || continue
		for words in "report --stdio --no-inline" "script --no-inline" "report --header-only" buildid-list; do
			# a reader that unwinds the stacks twice takes its time
			[ "$2 $words" != "dwarf.bundle report --stdio --no-inline" ] || continue
			for file in plain bundle; do
				# shellcheck disable=SC2086
				(cd "$tmp" && "$reader" $words -f -i "$file.data" >"$file.out" 2>"$file.err") ||
					fail "$reader $words of $file, $2: $(cat "$tmp/$file.err")"
				sed -i "s/$file\\.data/FILE/" "$tmp/$file.out" "$tmp/$file.err"
				# the time of the file, and a tip by chance
				sed -i '/captured on/d; /^# (/d' "$tmp/$file.out"
			done
			cmp "$tmp/plain.out" "$tmp/bundle.out" || fail "$reader $words of $2: other text"
			cmp "$tmp/plain.err" "$tmp/bundle.err" || fail "$reader $words of $2: $(cat "$tmp/bundle.err")"
			[ -s "$tmp/bundle.out" ] || fail "$reader $words of $2: no text"
		done
	done
}

# the bundle of a directory is that of the file with its records
run "$SONDE" convert --to dir "$tmp/callgraph.data" "$tmp/directory"
want_status 0
run "$SONDE" convert --to file "$tmp/directory" "$tmp/directory.data"
want_status 0
run "$SONDE" bundle "$tmp/directory"
want_status 0
bundled directory.data directory.bundle
for data in callgraph dwarf; do
	run "$SONDE" bundle -o "$tmp/$data.bundle" "$tmp/$data.data"
	want_status 0
	bundled "$data.data" "$data.bundle"
done

# a trace.dat has the names of its kernel itself; what follows it is passed over
command -v trace-cmd >/dev/null 2>&1 || exit 0
for data in v6 v7; do
	shipped "$data.dat"
	mv "$tmp/$data.dat" "$tmp/plain.dat"
	run "$SONDE" bundle -o "$tmp/bundle.dat" "$tmp/plain.dat"
	want_status 0
	for reader in trace-cmd newest-trace-cmd; do
		command -v "$reader" >/dev/null 2>&1 || continue
		for file in plain bundle; do
			(cd "$tmp" && "$reader" report "$file.dat" >"$file.out" 2>"$file.err") ||
				fail "$reader of $file"
			sed -i "s/$file\\.dat/FILE/" "$tmp/$file.out" "$tmp/$file.err"
		done
		cmp "$tmp/plain.out" "$tmp/bundle.out" || fail "$reader: other text"
		cmp "$tmp/plain.err" "$tmp/bundle.err" || fail "$reader: $(cat "$tmp/bundle.err")"
	done
done
