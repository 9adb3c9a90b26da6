#!/bin/sh
# SPDX-License-Identifier: MIT
# terminal.sh - names in a trace neither drive a terminal, nor turn its text around, nor add levels to folded stacks
. "$SONDE_SOURCE/tests/lib.sh"

need_command python3
evil=$(printf 'x;\302\233K\342\200\256\377\033[2J')
cp "$SONDE_BUILD/bench/workload" "$tmp/$evil"
cat >"$tmp/plain.py" <<'PY'
import sys
text = open(sys.argv[1], 'rb').read().decode()  # what is no UTF-8 fails here
bad = [c for c in text if (ord(c) < 32 and c not in '\n\t') or 0x7f <= ord(c) <= 0x9f or
       ord(c) in (0x61c, 0x200e, 0x200f) or 0x2028 <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069]
if bad:
    sys.exit(f'{len(bad)} control characters: {sorted(set(bad))!r}')
PY

is_plain() {
	for stream in out err; do
		python3 "$tmp/plain.py" "$tmp/$stream" 2>"$tmp/why" ||
			failed_run "on its $stream: $(tail -1 "$tmp/why")"
	done
}

"$SONDE" record -g -e cpu-clock -o "$tmp/evil.data" -- "$tmp/$evil" 0.2 >/dev/null 2>"$tmp/err" ||
	skip "nothing can be recorded here: $(cat "$tmp/err")"
for words in 'info' 'info --json' 'report' 'report -g' 'report --sort pid,dso,sym,comm,tid' 'report --json' 'script' \
	'script -F +misc,+srcline' \
	'script --show-mmap-events --show-task-events' 'dump' 'check' 'export' 'export --to html' \
	"report --comms $evil" "script --dsos $evil" 'script -F no;such'; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" ${words%% *} "$tmp/evil.data" ${words#"${words%% *}"}
	is_plain
done
run "$SONDE" info "$tmp/$evil"
want_status 1
is_plain

run "$SONDE" script -F comm,ip,sym,dso "$tmp/evil.data"
want_out '^ *x;\.\.K\.\.\.\.\.\[2J'
run "$SONDE" export "$tmp/evil.data"
want_out '^x:\.\.K\.\.\.\.\.\[2J;[^;]'

# names of the command line
cd "$tmp" || exit 1
for words in "record -e cpu-clock -o $evil.data -- true" "record -e $evil -- true" "$evil" "report --$evil" \
	"report --sort $evil" "export --to $evil" \
	"help $evil" "convert $evil $evil.new" "help --completion $evil"; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" $words
	is_plain
done
