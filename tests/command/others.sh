#!/bin/sh
# SPDX-License-Identifier: MIT
# others.sh - every command of perf and trace-cmd is one of ours, or answered with the one that does it, or said to be
# missing
. "$SONDE_SOURCE/tests/lib.sh"

tools=$SONDE_SOURCE/../shared/tools
ours=" $("$SONDE" no-such-command 2>&1 | sed -n '/^There are:/,/^Try/{s/^There are://;/^Try/d;s/,//g;p}' | tr '\n' ' ') "
case $ours in *' report '*) ;; *) fail "there is no list of commands: $ours" ;; esac

# one TOOL NAME
one() {
	case $ours in *" $2 "*) return ;; esac
	run "$SONDE" "$2"
	want_status 2
	want_no_out
	want_err "^sonde: there is no 'sonde $2'( yet|: use 'sonde .*') \($1 $2: "
	sed -n "s/^sonde: [^:]*: use \(.*\) (.*/\1/p" "$tmp/err" | sed "s/ or /\n/g" | tr -d "'" |
		while read -r word command option; do
		case $word$ours in sonde*" $command "*) ;; *) fail "the answer to '$2' names '$word $command'" ;; esac
		[ -z "$option" ] || "$SONDE" help "$command" | grep -q -e "$option\b" ||
			fail "sonde $command has no $option"
	done || exit 1
}

walked=0
for perf in perf "$tools/newest-perf"; do
	"$perf" help >"$tmp/list" 2>/dev/null || continue
	for name in $(sed -n 's/^   \([a-z0-9-]*\)  .*/\1/p' "$tmp/list") help; do
		one perf "$name"
		walked=$((walked + 1))
	done
done
ln -s "$tools/newest-perf" "$tmp/newest-trace-cmd"
for trace_cmd in trace-cmd "$tmp/newest-trace-cmd"; do
	command -v "$trace_cmd" >/dev/null && [ -x "$(command -v "$trace_cmd")" ] || continue
	"$trace_cmd" -h >"$tmp/list" 2>&1 || :
	for name in $(sed -n 's/^     \([a-z-]*\) - .*/\1/p' "$tmp/list"); do
		one trace-cmd "$name"
		walked=$((walked + 1))
	done
done
[ "$walked" -gt 0 ] || skip "there is no perf and no trace-cmd"
[ "$walked" -ge 27 ] || fail "only $walked commands were found in the lists"
echo "$walked commands of perf and trace-cmd are answered"
