#!/bin/sh
# SPDX-License-Identifier: MIT
# stock_scripts.sh - every script that comes with perf is answered with the command of sonde that does it
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"

run "$SONDE" script report flamegraph
want_status 2
want_no_out
want_err "^sonde: perf's script flamegraph \(draw a flame graph\): use 'sonde report --html flamegraph\.html'$"
run "$SONDE" script flamegraph
want_err "use 'sonde report --html flamegraph\.html'$"
run "$SONDE" script record flamegraph true
want_status 2
want_err "use 'sonde record -g', then 'sonde report --html flamegraph\.html'$"
run "$SONDE" script record wakeup-latency
want_err "there is no counterpart yet of perf's script wakeup-latency"

# a recording may have any name
shipped callgraph.data
mv callgraph.data flamegraph
run "$SONDE" script flamegraph
want_status 0
want_out cpu-clock
run "$SONDE" script no-such-script
want_status 1
want_err '^sonde: no-such-script: cannot open'
rm flamegraph

walked=0
newest=${NEWEST_PERF_ROOT:-/var/tmp/newest-perf}
for folder in /usr/lib*/perf-core /usr/libexec/perf-core "$newest"/usr/lib*/perf-core; do
	for script in "$folder"/scripts/*/bin/*-report; do
		[ -e "$script" ] || continue
		name=$(basename "$script" -report)
		run "$SONDE" script report "$name"
		want_status 2
		want_err "perf's script $name \("
		sed -n "s/.*: use 'sonde \([^']*\)'$/\1/p" err >words
		while read -r command option _; do
			"$SONDE" help "$command" >help.out || fail "the answer to $name names '$command'"
			case $option in -*) grep -q -e "$option\b" help.out || fail "$command has no $option" ;; esac
		done <words
		walked=$((walked + 1))
	done
done
[ "$walked" -gt 0 ] || skip "no scripts of perf are installed"
echo "$walked scripts of perf are answered"
