#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh - `sonde check`: exit status by the worst finding, offsets, JSON, a stream from a pipe
. "$SONDE_SOURCE/tests/lib.sh"

run "$SONDE" check "$tmp/none"
want_status 1
want_no_out
want_err "^sonde: $tmp/none: .*No such file"

run "$SONDE" check --rules
want_status 0
want_out '^error    record-garbage     '

echo 'no trace' >"$tmp/text"
run "$SONDE" check "$tmp/text"
want_status 1
want_out "^$tmp/text: 0x0: error: header-magic: "

need_corpus
sound=$SONDE_CORPUS/recorded/perf6.1-groupS.data
stream=$SONDE_CORPUS/recorded/perf6.1-groupS_pipe.data

run "$SONDE" check "$sound" "$stream"
want_status 0
want_no_err
want_out ': 0 errors, 0 warnings|, 0 errors, 0 warnings, [0-9]+ notes$'
run sh -c "cat '$stream' | '$SONDE' check -"
want_status 0
want_out '^-: [0-9]+ records, 0 errors, 0 warnings'

run "$SONDE" check --json "$SONDE_CORPUS/recorded/perf6.1-killed9.data"
want_status 1
want_out '"schema":1,.*"rule":"unfinished","severity":"error","offset":48,'
want_out '"errors":1,'

# the header of a record in the middle is overwritten
cp "$sound" "$tmp/hole"
chmod u+w "$tmp/hole"
printf '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377' |
	dd of="$tmp/hole" bs=1 seek=4072 conv=notrunc 2>/dev/null
run "$SONDE" check "$tmp/hole"
want_status 1
want_out '^.*: 0x[0-9a-f]+: error: '

head -c 4000 "$sound" >"$tmp/cut"
run "$SONDE" check "$tmp/cut"
want_status 1
want_out ': error: section-outside: data: '

# how many of a rule are shown
run "$SONDE" check --max 1 "$SONDE_CORPUS/perf/hotspot-perf.data.true.v2"
want_out ': warning: record-string: and 6 more$'
