#!/bin/sh
# SPDX-License-Identifier: MIT
# report_colour.sh - percentages of a report have the colours of perf's, on a terminal only (tests/command/pager.py has
# one)
. "$SONDE_SOURCE/tests/lib.sh"
need_corpus

file=$SONDE_CORPUS/recorded/perf6.1-dwarf.data
coloured=$(printf '\033\\[3[12]m *[0-9.]*%%\033\\[m')
run "$SONDE" report --stdio-color always -i "$file"
want_status 0
want_out "^  $coloured  $coloured  worker-0"
want_out "[-][-]${coloured}[-][-]"
for option in '' --stdio-color=auto '--stdio-color never' '--stdio-color always -t,' '--stdio-color always --json'; do
	# shellcheck disable=SC2086  # words
	run "$SONDE" report $option -i "$file"
	! grep -q "$(printf '\033')" "$tmp/out" || failed_run "there are colours"
done
run "$SONDE" report --stdio-color=sometimes -i "$file"
want_status 2
want_err '^sonde report: --stdio-color takes always, never or auto, not .sometimes.$'

perf=$SONDE_SOURCE/../shared/tools/newest-perf
[ -x "$perf" ] || perf=perf
need_command "$perf"
for name in recorded/perf6.1-dwarf.data recorded/perf6.1-freq.data perf/quipper-perf.data.callgraph-3.8; do
	for options in '--no-children -g none' '--no-children -g none -n' '--no-children'; do
		# shellcheck disable=SC2086  # words
		"$perf" report --stdio --stdio-color always $options --kallsyms /dev/null -i "$SONDE_CORPUS/$name" \
			2>/dev/null |
			grep -o "$coloured" | sort >"$tmp/theirs"
		# shellcheck disable=SC2086  # words
		"$SONDE" report --stdio-color always $options --kallsyms /dev/null -i "$SONDE_CORPUS/$name" \
			2>/dev/null |
			grep -o "$coloured" | sort >"$tmp/ours"
		[ -s "$tmp/theirs" ] || fail "perf prints no colours for $name"
		cmp "$tmp/theirs" "$tmp/ours" || fail "other colours than perf's: $options $name"
	done
done
