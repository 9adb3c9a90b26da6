#!/bin/sh
# SPDX-License-Identifier: MIT
# usage.sh - help, version, and what is said about a wrong command line
. "$SONDE_SOURCE/tests/lib.sh"

run "$SONDE"
want_status 2
want_no_out
want_err '^usage: sonde COMMAND'

run "$SONDE" --version
want_status 0
want_out '^sonde [0-9]+\.[0-9]+\.[0-9]+$'

run "$SONDE" --help
want_status 0
want_no_err
want_out '^  help  '
cp "$tmp/out" "$tmp/overview"
run "$SONDE" help
want_status 0
cmp "$tmp/out" "$tmp/overview" || fail "'sonde help' and 'sonde --help' differ"

run "$SONDE" hlep
want_status 2
want_no_out
want_err "^sonde: there is no command 'hlep'; did you mean 'help'\?$"
want_err '^There are: .*\breport\b'
want_err "^Try 'sonde help'\.$"
run "$SONDE" help hlep
want_status 2
want_err "^sonde help: there is no command 'hlep'; did you mean 'help'\?$"

# by the name that it is called by, as through a link named perf
ln -s "$SONDE" "$tmp/perf"
run "$tmp/perf" hlep
want_err "^perf: there is no command 'hlep'; did you mean 'help'\?$"
want_err "^Try 'perf help'\.$"
run "$tmp/perf" report --foce
want_err "^perf report: there is no option '--foce'; did you mean '--force'\?$"

# what is not known: the nearest name, and all there are; of options the help has the list
run "$SONDE" export --to foldet
want_status 2
want_err "^sonde export: there is no export format 'foldet'; did you mean 'folded'\?$"
want_err '^There are: .*html, .*json'
run "$SONDE" info --cuont
want_status 2
want_err "^sonde info: there is no option '--cuont'; did you mean '--count'\?$"
want_err "^Try 'sonde help info'\.$"
want_err_lines 2
run "$SONDE" info -Q
want_status 2
want_err "^sonde info: there is no option '-Q'$"
want_err_lines 2
run "$SONDE" report --no-chidlren
want_err "^sonde report: there is no option '--no-chidlren'; did you mean '--no-children'\?$"
run "$SONDE" script --layout perv
want_status 2
want_err "^sonde script: there is no layout 'perv'; did you mean 'perf'\?$"
want_err '^There are: perf, trace-cmd, trace-cmd-3\.1$'
awk 'length > 96 { bad = 1 } END { exit bad }' "$tmp/err" || fail "lines that a terminal does not hold"

run "$SONDE" help --completion
want_status 2
want_err '^sonde help: --completion needs SHELL$'
want_err "^Try 'sonde help help'\.$"
want_err_lines 2

# an event that has no samples: the nearest name, and those that have some
shipped tracepoints.data
for command in report export; do
	run "$SONDE" "$command" --event sched_process_exe -i "$tmp/tracepoints.data"
	want_status 2
	want_no_out
	want_err "^sonde $command: there is no event .* 'sched_process_exe'; did you mean 'sched:sched_process_exec'\?$"
	want_err '^There are: .*sched:sched_process_exit'
	run "$SONDE" "$command" --event sched:sched_process_exec -i "$tmp/tracepoints.data"
	want_status 0
done

# every command of the overview has help, the same three ways, and a manual page
for name in $(sed -n 's/^  \([a-z-]*\)  .*/\1/p' "$tmp/overview"); do
	run "$SONDE" "$name" --no-such-option-at-all
	want_status 2
	want_no_out
	want_err "^sonde $name: there is no option '--no-such-option-at-all'$"
	want_err "^Try 'sonde help $name'\.$"
	want_err_lines 2
	run "$SONDE" help "$name"
	want_status 0
	want_out "^usage: sonde $name"
	cp "$tmp/out" "$tmp/help"
	for option in -h --help; do
		run "$SONDE" "$name" "$option"
		want_status 0
		cmp "$tmp/out" "$tmp/help" || fail "'sonde $name $option' and 'sonde help $name' differ"
	done
	run "$SONDE" help --man "$name"
	want_status 0
	want_out '^\.SH SYNOPSIS$'
	run "$SONDE" "$name" --no-such-option
	want_status 2
	want_no_out
	want_err "^sonde $name: there is no option '--no-such-option'"
done

# a full disk is an error, a closed pipe is not worth a word
if [ -c /dev/full ]; then
	status=0
	"$SONDE" help >/dev/full 2>"$tmp/err" || status=$?
	[ "$status" -eq 1 ] || fail "exit status $status with a full disk"
	grep -q 'No space left on device' "$tmp/err" || fail "a full disk is not named"
fi
{ "$SONDE" help; echo "status $?" >&2; } 2>"$tmp/err" | :
grep -v -q -e 'status 0' -e 'status 141' "$tmp/err" && fail "a closed pipe: $(cat "$tmp/err")"

# completion, as the scripts of the shells ask for it (tests/command/complete.py presses the key)
# offers WORD...: asks for the last of them
offers() {
	run "$SONDE" help --complete -- "$@"
	want_status 0
	want_no_err
}
offers expo
want_out '^export	'
[ "$(wc -l <"$tmp/out")" -eq 2 ] || failed_run "one command begins so"
offers no-such-command ''
want_out '^nothing $'
offers script -F 'comm,+sy'
want_out '^list comm,\+$'
want_out '^comm,\+symoff	'
offers export --to=
want_out '^words --to=$'
want_out '^--to=html	'
offers record -p ''
want_out '^list $'
offers record --ftrace -p ''
want_out '^(words|nothing) $'
offers report -i
want_out '^nothing $'
offers report -i ''
want_out '^files $'
offers report -ix
want_out '^files -i$'
offers record -g ''
want_out '^programs $'
offers record -g ls ''
want_out '^files $'
offers record -- ''
want_out '^programs $'
offers report --percent-limit ''
want_out '^nothing $'
for shell in bash zsh fish; do
	run "$SONDE" help --completion $shell
	want_status 0
	want_out 'help --complete --'
done
run "$SONDE" help --completion csh
want_status 2
want_err '^There are: bash, zsh, fish$'

# a mark below the mistake, then where help is
run "$SONDE" record -e 'cpu-clock,cpu-clok' true
want_status 2
printf '%s\n' '  cpu-clock,cpu-clok' '            ^' "Try 'sonde help record'." >"$tmp/expected"
tail -n +2 "$tmp/err" | cmp - "$tmp/expected" || failed_run "not: $(cat "$tmp/expected")"
