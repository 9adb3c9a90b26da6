#!/bin/sh
# SPDX-License-Identifier: MIT
# examples_count.sh - the examples that count do what their first line says
. "$SONDE_SOURCE/tests/lib.sh"

examples=$SONDE_BUILD/examples

run "$examples/example-instructions"
[ "$status" -eq 0 ] || skip "counting is not permitted here: $(cat "$tmp/err")"
want_out '^Counting what this printf takes$'
want_out '^[1-9][0-9]* [a-z]*$'

run "$examples/example-overflow"
want_status 0
case $SONDE_SANITIZE in
thread) ;; # it delays signals
*) want_out '^3 overflows$' ;;
esac

if [ -x "$examples/example-command_counts" ]; then
	run "$examples/example-command_counts" true
	want_status 0
	want_out '^ *[1-9][0-9]* task-clock:u$'
	want_out '^ *[1-9][0-9]* page-faults:u$'
	run "$examples/example-command_counts" "$tmp/missing"
	want_status 1
	want_err "there is no program '$tmp/missing'"
fi

# not every processor or emulator has breakpoints, and other programs may hold them
run "$examples/example-breakpoint"
if [ "$status" -eq 0 ]; then
	want_out '^42 writes$'
else
	want_err '^cannot count writes: '
fi
