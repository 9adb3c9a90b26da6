#!/bin/sh
# SPDX-License-Identifier: MIT
# words.sh - one word for each thing: words that the glossary of ARCHITECTURE.md has replaced stay away from these rooms
. "$SONDE_SOURCE/tests/lib.sh"

rooms='base io codec model order threads tracefmt tracedat'

# lane, region, area: extent. piece: chunk or block. spool: queue. needle: multi_search. flat: v6.
words='lane|region|area|piece|spool|needle|tally|flat'

# Lines with such a word, alone or in a name. SCSI commands have regions.
old_words() {
	grep -rniE "(^|[^a-z])($words)s?([^a-z]|\$)" "$@" | grep -v 'regions='
}

mkdir "$tmp/room"
printf '%s\n' 'struct dat_area a;' '/* a lane of a CPU */' 'int chunk;' 'int needles_find(void);' >"$tmp/room/a.c"
[ "$(old_words "$tmp/room" | wc -l)" -eq 3 ] || fail "the check does not find old words"

cd "$SONDE_SOURCE/src"
for room in $rooms; do
	old_words "$room" && fail "the glossary in ARCHITECTURE.md has another word"
done
exit 0
