#!/bin/sh
# SPDX-License-Identifier: MIT
# help.sh - help in groups, examples that run, values for completion that belong to an option
. "$SONDE_SOURCE/tests/lib.sh"

run "$SONDE" help
for group in 'Record and count' 'Look at a trace' 'Make other files of a trace' 'About sonde'; do
	want_out "^$group:$"
done
run "$SONDE" help --tables
cp "$tmp/out" "$tmp/tables"
[ "$(sed -n 's/^command\t//p' "$tmp/tables" | sort)" = "$("$SONDE" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | sort)" \
	] ||
	fail "a command is in no group"

# every command has an example in its help and its manual page
for name in $(sed -n 's/^command\t//p' "$tmp/tables"); do
	run "$SONDE" help "$name"
	want_out '^Examples:$'
	run "$SONDE" help --man "$name"
	want_out '^\.SH EXAMPLES$'
done
if command -v man >/dev/null; then
	for name in sonde $(sed -n 's/^command\t//p' "$tmp/tables"); do
		"$SONDE" help --man "$name" >"$tmp/page"
		man --warnings -l "$tmp/page" >"$tmp/text" 2>"$tmp/err" || fail "man does not take the page of $name"
		[ ! -s "$tmp/err" ] || fail "man warns of the page of $name: $(cat "$tmp/err")"
	done
fi

# each row of values is of an option that takes an argument
sed -n 's/^values\t//p' "$tmp/tables" | while IFS="$(printf '\t')" read -r command option; do
	named="(.	$option|$option	-)"
	grep -q -E "^option	$command	$named	(yes|maybe)	" "$tmp/tables" ||
		fail "values of an option that there is not: $command $option"
done || exit 1

# the examples do what they say, with files of these names
mkdir "$tmp/here"
cd "$tmp/here" || exit 1
shipped tracepoints.data
shipped v7.dat
cp "$tmp/tracepoints.data" "$tmp/perf.data"
cp "$tmp/v7.dat" "$tmp/trace.dat"
mkdir "$tmp/bin"
ln -s "$(command -v "$SONDE")" "$tmp/bin/sonde"
PATH=$tmp/bin:$PATH
sed -n 's/^example\t[^\t]*\t//p' "$tmp/tables" >"$tmp/examples"
while read -r line; do
	case $line in
	*'$('*) continue ;;                                                # a process that is not here
	'sonde record'* | 'sonde stat'* | 'sonde top'*) [ "$(id -u)" -eq 0 ] || continue ;;
	'sonde extract'*) continue ;;    # empties the buffers of who else traces; tests/command/ftrace.sh
	esac
	case $line in 'sonde view'*) line="$line --timeout 1" ;; esac    # it serves until it is ended
	case $line in *--ftrace*) [ -e /sys/kernel/tracing/events/sched ] || continue ;; esac
	cp "$tmp/perf.data" "$tmp/trace.dat" .
	cp "$tmp/perf.data" part.data
	case $line in *'-o both.data'*) ;; *) rm part.data ;; esac
	case $line in 'sonde fleet'*) mkdir -p profiles/v1 ;; esac
	status=0
	sh -c "$line" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	ran=$line
	# the recording is of another machine, whose kernel has symbols only there
	case $line in 'sonde symbols --missing'*) [ "$status" -ne 1 ] || status=0 ;; esac
	[ "$status" -eq 0 ] || failed_run "exit status $status"
	rm -rf ./*
done <"$tmp/examples"
echo "$(wc -l <"$tmp/examples") examples"
