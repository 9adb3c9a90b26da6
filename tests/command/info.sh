#!/bin/sh
# SPDX-License-Identifier: MIT
# info.sh - `sonde info`: files, several of them, standard input, JSON, and what it says about what is no trace
. "$SONDE_SOURCE/tests/lib.sh"

run "$SONDE" info "$tmp/none"
want_status 1
want_no_out
want_err "^sonde: $tmp/none: .*No such file"

echo 'no trace' >"$tmp/text"
run "$SONDE" info "$tmp/text"
want_status 1
want_no_out
want_err_lines 1

need_corpus
file=$SONDE_CORPUS/recorded/perf6.1-groupS.data
stream=$SONDE_CORPUS/recorded/perf6.1-groupS_pipe.data

run "$SONDE" info "$file"
want_status 0
want_no_err
want_out '^# hostname : emu$'
want_out '^# CPU_TOPOLOGY info available, use -I to display$'
want_out '^# group: \{cpu-clock,page-faults,task-clock\}$'
want_out '^# format         : perf.data version 2, file mode, little-endian$'
want_out '^# losses         : none'

run "$SONDE" info -I -i "$file"
want_status 0
want_out '^# CPU 1: Core ID 1, Die ID 0, Socket ID 0$'

run "$SONDE" info --count "$file"
want_status 0
want_out '^# records        : SAMPLE 20$'
want_out '^# samples        : page-faults 16$'

# how counts are to be read and where an event counted, which the first records of a file say
run "$SONDE" info "$SONDE_CORPUS/recorded/perf7.2-groupS_pipe.data"
want_out '^# event          : task-clock, .*unit msec, scale 1e-06, CPUs 0-1$'
run "$SONDE" info --json "$SONDE_CORPUS/recorded/perf7.2-inheritstat.data"
want_out '"unit":"msec","scale":9.9999999999999995e-07,"cpus":\[\[0,1\]\]'

# but no more than the first: a file without any, in which they could be found anywhere, takes no time
cp "$file" "$tmp/zeros"
chmod u+w "$tmp/zeros"
dd if=/dev/zero of="$tmp/zeros" bs=1 seek=48 count=8 conv=notrunc 2>/dev/null
dd if=/dev/zero of="$tmp/zeros" bs=1000 seek=1 count=20 conv=notrunc 2>/dev/null
truncate -s 8G "$tmp/zeros"
run sh -c 'ulimit -t 10; exec "$@"' sh "$SONDE" info "$tmp/zeros"
want_status 1
want_out '^# event          : cpu-clock, '
rm "$tmp/zeros"

# a stream that cannot be sought, and the same one in a file
for count in '' --count; do
	run sh -c "cat '$stream' | '$SONDE' info --json $count -"
	want_status 0
	sed 's/"path":"[^"]*"//; s/"size_bytes":[^,]*//; s/"data_size":[^,]*//' "$tmp/out" >"$tmp/from-pipe"
	run "$SONDE" info --json $count "$stream"
	want_status 0
	sed 's/"path":"[^"]*"//; s/"size_bytes":[^,]*//; s/"data_size":[^,]*//' "$tmp/out" >"$tmp/from-file"
	cmp "$tmp/from-pipe" "$tmp/from-file" || fail "a stream gives other answers than a file"
done

# several files: one line each; one that cannot be read costs itself only
run "$SONDE" info --json "$file" "$tmp/none" "$stream"
want_status 1
want_err_lines 1
[ "$(wc -l <"$tmp/out")" -eq 2 ] || failed_run "expected two lines"
want_out '"mode":"file"'
want_out '"mode":"pipe"'

# a cut file: what is there is shown, the ledger says what is not
head -c 3000 "$file" >"$tmp/cut"
run "$SONDE" info "$tmp/cut"
want_status 1
want_out '^# format         : perf.data'
want_out '^# losses         : [0-9]+ '
