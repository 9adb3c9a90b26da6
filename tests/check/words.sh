#!/bin/sh
# SPDX-License-Identifier: MIT
# words.sh - one word for each thing: words that the glossary (docs/words.md) has replaced stay away from these
# rooms; a comment begins with its subject, or a verb
. "$SONDE_SOURCE/tests/lib.sh"

rooms='base io codec model order threads tracefmt tracedat'

# lane, region, area: extent. piece: chunk or block. spool: queue. needle: multi_search. flat: v6.
words='lane|region|area|piece|spool|needle|tally|flat'

# Lines with such a word, alone or in a name. SCSI commands have regions.
old_words() {
	grep -rniE "(^|[^a-z])($words)s?([^a-z]|\$)" "$@" | grep -v 'regions='
}

# A comment whose reader learns at its end only what it is about. "What ...?" would be a question.
late_subjects() {
	grep -rnE "(^[ 	]*\*|/\*+) ($1) " --include='*.[ch]' "$2"
}

openings='What|Whoever|Those that|One that|Of an?'

mkdir "$tmp/room"
printf '%s\n' '/* What a page shows. */' ' * Those that are open' '/* Whoever waits. */' '/** One that is known. */' \
	'/* Of a stream: its end. */' 'int x;  /* of a stream */' '/* The part of a page that is shown. */' \
	>"$tmp/room/b.c"
[ "$(late_subjects "$openings" "$tmp/room" | wc -l)" -eq 5 ] || fail "the check does not find late subjects"
printf '%s\n' 'struct dat_area a;' '/* a lane of a CPU */' 'int chunk;' 'int needles_find(void);' >"$tmp/room/a.c"
[ "$(old_words "$tmp/room" | wc -l)" -eq 3 ] || fail "the check does not find old words"

cd "$SONDE_SOURCE"
for folder in src include fuzz bench examples tests; do
	late_subjects "$openings" $folder && fail "a comment begins without its subject"
done

cd "$SONDE_SOURCE/src"
for room in $rooms; do
	old_words "$room" && fail "the glossary in docs/words.md has another word"
done
exit 0
