#!/bin/sh
# SPDX-License-Identifier: MIT
# script.sh - `sonde script` and `sonde dump`: what they say of bad arguments and inputs, options, pipes
. "$SONDE_SOURCE/tests/lib.sh"

for command in script dump; do
	run "$SONDE" $command "$tmp/none"
	want_status 1
	want_no_out
	want_err "^sonde: $tmp/none: .*No such file"

	: >"$tmp/empty"
	run "$SONDE" $command "$tmp/empty"
	want_status 1
	want_no_out
	want_err_lines 1

	run "$SONDE" $command one two
	[ $command = script ] && want_status 1 || want_status 2
	run "$SONDE" $command --cpu 3-1 "$tmp/none"
	want_status 2
	run "$SONDE" $command --time yesterday "$tmp/none"
	want_status 2
done

need_corpus
file=$SONDE_CORPUS/recorded/perf6.1-freq.data
stream=$SONDE_CORPUS/recorded/perf6.1-groupS_pipe.data
chains=$SONDE_CORPUS/perf/quipper-perf.data.callgraph-3.8
# the kernel of the recording is not the one that runs
no_kernel='--kallsyms /dev/null'

# fields that do not exist, that these samples lack, that cannot be mixed; a type without name
for fields in nothing +nothing comm,+ip '' brstack tracepoint:comm hw:trace; do
	run "$SONDE" script -F "$fields" "$file"
	want_status 2
	want_no_out
done

# shellcheck disable=SC2086  # several words
run "$SONDE" script $no_kernel "$file"
want_status 0
without_names
want_no_err
want_out '^ {8}workload   356    64\.238645: {10}1 minor-faults:  ffffffffb69eb9ee .unknown. \(.kernel.kallsyms.\)$'

run "$SONDE" script -F time,ip --ns "$file"
want_status 0
want_out '^   64\.238645663:  ffffffffb69eb9ee$'
run "$SONDE" script -F sw:-ip,-sym,-symoff,-dso,+misc --time ,64.2387 "$file"
want_status 0
want_out '^        workload   356 K        64\.238645:          1 minor-faults: $'
[ "$(wc -l <"$tmp/out")" -eq 1 ] || failed_run "one sample is that old"
run "$SONDE" script --comms nobody "$file"
want_status 0
want_no_out

# frames, and how many
run "$SONDE" script --max-stack 2 "$chains"
want_status 0
want_out '^perf 10447 \[000\] 346832\.330193:          1 cycles: $'
want_out '^	ffffffff96613abf '
run "$SONDE" script -G -F ip "$chains"
want_status 0
[ "$(wc -l <"$tmp/out")" -eq 1768 ] || failed_run "there are 1768 samples"

# any number of CPUs makes the same text
if command -v taskset >/dev/null 2>&1; then
	cp "$tmp/out" "$tmp/many"
	run taskset -c 0 "$SONDE" script -G -F ip "$chains"
	cmp "$tmp/many" "$tmp/out" || failed_run "one CPU and several print different things"
fi

# a stream that cannot be sought, and the same one in a file
run "$SONDE" script "$stream"
want_status 0
cp "$tmp/out" "$tmp/file"
status=0
cat "$stream" | "$SONDE" script -i - >"$tmp/out" 2>"$tmp/err" || status=$?
[ "$status" -eq 0 ] && cmp "$tmp/file" "$tmp/out" || failed_run "a stream through a pipe prints something else"

run "$SONDE" script --header-only "$file"
want_status 0
want_out '^# hostname : emu$'

# a reader that goes away is no error
"$SONDE" script "$chains" 2>"$tmp/err" | head -1 >"$tmp/out"
[ ! -s "$tmp/err" ] || failed_run "head is not worth a message"
if [ -w /dev/full ]; then
	status=0
	"$SONDE" script "$file" >/dev/full 2>"$tmp/err" || status=$?
	want_status 1
	want_err 'No space left'
fi

# a line a record, at rising offsets, then its fields
run "$SONDE" dump "$file"
want_status 0
want_out '^0x[0-9a-f]+ 64\.238645663 pid 356 tid 356 SAMPLE misc 0x1 size [0-9]+ event minor-faults$'
want_out '^    ip: 0xffffffffb69eb9ee$'
want_out '^    filename: \[kernel\.kallsyms\]_text$'
records=$(grep -c '^0x' "$tmp/out")
[ "$records" -gt 32 ] || failed_run "only $records records"
run "$SONDE" dump --samples -x "$file"
want_status 0
[ "$(grep -c '^0x' "$tmp/out")" -eq 32 ] || failed_run "there are 32 samples"
want_out '^  0000: 09 00 00 00 '

# as perf
"$SONDE" dump --layout perf "$file" >"$tmp/dump"
for words in 'script -D' 'script --dump-raw-trace' 'report -D'; do
	# shellcheck disable=SC2086
	run "$SONDE" $words -i "$file"
	want_status 0
	cmp "$tmp/out" "$tmp/dump" || fail "$words is not dump --layout perf"
done

# a field that there is not: the nearest, and all
run "$SONDE" script -F "ip,symm" "$file"
want_status 2
want_err "^sonde script: there is no field 'symm'; did you mean 'sym'\?$"
want_err '^There are: .*, comm, pid, tid,'
