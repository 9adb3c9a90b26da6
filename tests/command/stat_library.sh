#!/bin/sh
# SPDX-License-Identifier: MIT
# stat_library.sh - two programs of 30 lines over <sonde/stat.h> have the tables of sonde stat
. "$SONDE_SOURCE/tests/lib.sh"

examples=$SONDE_BUILD/examples
run "$SONDE" stat -e page-faults:u true
[ "$status" -eq 0 ] || skip "counting is not permitted here: $(cat "$tmp/err")"

# recordings: byte for byte
cd "$tmp" || exit 1
"$SONDE" stat record -e page-faults:u,task-clock:u,cycles:u -o events.data true 2>err
"$SONDE" stat --record steps.data -I 100 -e task-clock:u,cs:u sleep 0.25 2>err
"$SONDE" stat record -a -A -e cpu-clock,cs -o cpus.data sleep 0.1 2>err || rm -f cpus.data
for file in events.data steps.data cpus.data; do
	[ -e "$file" ] || continue
	"$SONDE" stat report -x, -i "$file" 2>theirs
	[ "$file" != steps.data ] || sed -i 's/^[^,]*,//' theirs  # the moment
	run "$examples/example-stat_report" "$file"
	want_status 0
	[ -s theirs ] && cmp theirs out || fail "stat_report $file: $(diff theirs out)"
done
[ "$(wc -l <theirs)" -gt 1 ] || fail 'no rows to compare'
run "$examples/example-stat_report" missing.data
want_status 1
shipped callgraph.data
run "$examples/example-stat_report" callgraph.data
want_status 1

# a command: the events, units and rates of each line
run "$examples/example-stat" true
want_status 0
awk '{ sub(/^ *[^ ]+ /, ""); sub(/# +[^ ]+ /, "# "); print $1, $2, $3, $NF }' out >ours
"$SONDE" stat --no-big-num true 2>&1 |
	sed -n 's/<not [a-z]*>/0/; s/ *([0-9.]*%)$//; / # /{ s/^ *[^ ]* //; s/# *[^ ]* /# /; p; }' |
	awk '{ print $1, $2, $3, $NF }' >theirs
[ -s theirs ] && cmp theirs ours || fail "stat: $(diff theirs ours)"
run "$examples/example-stat" "$tmp/missing"
want_status 1
want_err "there is no program '$tmp/missing'"
