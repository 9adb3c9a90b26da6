#!/bin/sh
# SPDX-License-Identifier: MIT
# report_trace.sh - `sonde report` of a trace.dat: counts per event and task, and stacks as trees, against `trace-cmd
# report`
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus
need_command trace-cmd
trace=$SONDE_CORPUS/recorded/tc3.1-t7_stream_opts.dat

trace-cmd report "$trace" 2>/dev/null >"$tmp/lines"
awk '$3 ~ /^[0-9.]+:$/ { sub(":$", "", $4); n[$4]++ } END { for (e in n) print n[e], e }' "$tmp/lines" |
	sort >"$tmp/want"
run "$SONDE" report "$trace"
want_status 0
sed -n "s/^# Samples: \([0-9]*\)  of event '[^:]*:\(.*\)'$/\1 \2/p" "$tmp/out" | sort >"$tmp/got"
diff "$tmp/want" "$tmp/got" || fail "other counts of events"

# per task: the share of each name in one event
awk '$4 == "sched_switch:" { sub("-[0-9]+$", "", $1); sub("^<idle>$", "swapper", $1); n[$1]++; all++ }
	END { for (c in n) printf "%.2f%% %s\n", 100 * n[c] / all, c }' "$tmp/lines" | sort >"$tmp/want"
run "$SONDE" report --event sched:sched_switch "$trace"
awk '$1 ~ /%$/ { print $1, $2 }' "$tmp/out" | sort >"$tmp/got"
diff "$tmp/want" "$tmp/got" || fail "other shares of tasks"

# the functions of all stacks of idle, by their names in the recording
awk '/kernel_stack:/ { idle = $1 ~ /^<idle>/ } /^=>/ && idle { print $2 }' "$tmp/lines" | sort -u >"$tmp/want"
run "$SONDE" report -g caller --no-children --comm swapper --event sched:sched_switch "$trace"
want_status 0
grep -v '^#' "$tmp/out" | grep -E -o '[a-zA-Z_][a-zA-Z_0-9]+ *$' | sed 's/ *$//' | grep -v -x swapper |
	sort -u >"$tmp/got"
diff "$tmp/want" "$tmp/got" || fail "other functions in the stacks"
