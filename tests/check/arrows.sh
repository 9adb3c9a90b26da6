#!/bin/sh
# SPDX-License-Identifier: MIT
# arrows.sh - every #include of a room against the rooms it may use, in a tree (default: this one)
. "$SONDE_SOURCE/tests/lib.sh"

# A room, and the rooms it may include; what those may include comes with them. A folder in a room is a room. A room
# may have several lines.
arrows='
base:
io: base
codec: io
model: io
order: model
threads: model
tracefmt: model
tracefmt/plugin: tracefmt
tracefmt/filter: tracefmt
tracefmt/redact: tracefmt
perfdata/format: model
perfdata/scan: perfdata/format codec
perfdata/read: perfdata/scan order
perfdata/write: perfdata/format codec
perfdata/rewrite: perfdata/read perfdata/write tracefmt/redact
tracedat/format: codec tracefmt
tracedat/scan: tracedat/format
tracedat/read: tracedat/scan order threads
tracedat/write: tracedat/format
tracedat/rewrite: tracedat/read tracedat/write tracefmt/redact
disasm: base
bundle: codec
parquet: codec
fleet: parquet
symbol: symbol/dwarf symbol/elf symbol/list symbol/types bundle
symbol/dwarf: symbol/elf
symbol/elf: symbol/table
symbol/types: symbol/elf disasm
symbol/list: symbol/table threads
symbol/table: base
unwind: symbol model
resolve: unwind tracefmt
sched: tracefmt
table: model
insight: insight/latency insight/map insight/timehist
insight/base: sched table
insight/latency: insight/base
insight/map: insight/base
insight/timehist: insight/base
record/host: threads
record/event: record/host tracefmt
record/perf: record/event
stat: record/count table
record/count: record/event
record/ftrace: record/host tracefmt
analyze/stacks: order resolve
analyze/branches: analyze/stacks
analyze/tables: analyze/branches sched
analyze/rows: analyze/tables
analyze/annotate: analyze/tables
analyze/needs: analyze/tables
analyze/profile: analyze/tables
import: analyze/profile codec
export/arrow: export/events table
export/chrome: export/events
export/ctf: export/events
export/perfetto: export/events
export/sqlite: export/events
export: analyze/annotate analyze/needs analyze/rows
export/autofdo: export
export/bolt: export
export/callgrind: export
export/csv: export/events
export/dump: export
export/events: export sched
export/firefox: export
export/fleet: export parquet
export/folded: export
export/json_lines: export/events
export/llvm: export
export/otlp: export
export/page: export table
export/pprof: export
export/report: export
export/script: export
export/speedscope: export
export/summary: export
export/svg: export
export/trace_report: export tracefmt/filter
api/base: io
api/trace: api/base import perfdata/read tracedat/read
api/write: api/trace perfdata/write tracedat/write
api/convert: api/trace analyze/needs perfdata/rewrite record/ftrace record/perf tracedat/rewrite
api/record: api/trace perfdata/write record/count record/ftrace record/perf tracedat/write
api/describe: api/trace export
api/insight: api/trace insight export/page
api/stat: api/record stat
api/profile: api/trace analyze/annotate analyze/needs analyze/profile export/page export/report export/summary
api/export: api/trace fleet
api/export: export/autofdo export/bolt export/callgrind export/chrome export/ctf export/csv export/dump export/firefox
api/export: export/arrow export/fleet export/folded export/json_lines export/llvm export/otlp export/page
api/export: export/perfetto export/pprof export/report export/script export/speedscope export/sqlite
api/export: export/summary export/svg export/trace_report
cli: cli/help
cli/annotate: cli/code
cli/base:
cli/browser: cli/rows
cli/code: cli/screen
cli/help: cli/base
cli/list: cli/stat
cli/record: cli/base
cli/report: cli/browser
cli/rows: cli/code
cli/screen: cli/base
cli/script: cli/base
cli/stat: cli/record
cli/top: cli/record cli/rows
cli/view: cli/report
examples:
sonde:
'

# A room whose headers only these rooms may include, whatever theirs may include: the state of the gathering is not for
# those that read a finished profile.
private='
analyze/profile: analyze/profile import api/profile
'

# Prints "file:line: what is wrong" for each include that goes against an arrow; cli, examples and the public headers
# (room "sonde") may include <sonde/...> and themselves.
check_tree() {
	(cd "$1" && find src include examples -name '*.[ch]' | LC_ALL=C sort |
		xargs grep -n '^[ 	]*#[ 	]*include' /dev/null) |
	awk -F: -v arrows="$arrows" -v private="$private" '
		function reach(room, target,   i, n, to) {
			if (room == target || room SUBSEP target in may)
				return 1
			n = split(direct[room], to, " ")
			for (i = 1; i <= n; i++)
				if (reach(to[i], target))
					return 1
			return 0
		}
		# a test of one folder may use the others of its room
		function is_test(file) {
			return file ~ /_test\.[ch]$/
		}
		function room_of(name) {
			sub(/\/.*/, "", name)
			return name
		}
		function folder(file) {
			sub(/^src\//, "", file)
			sub(/\/[^\/]*$/, "", file)
			return file
		}
		BEGIN {
			n = split(arrows, rows, "\n")
			for (i = 1; i <= n; i++)
				if (split(rows[i], row, ":") == 2) {
					known[row[1]] = 1
					direct[row[1]] = direct[row[1]] " " row[2]
				}
			n = split(private, rows, "\n")
			for (i = 1; i <= n; i++)
				if (split(rows[i], row, ":") == 2)
					users[row[1]] = row[2] " "
		}
		{
			split($1, path, "/")
			room = path[1] == "src" ? folder($1) : path[1] == "include" ? "sonde" : "examples"
			line = $0
			sub(/^[^:]*:[^:]*:/, "", line)
			if (!(room in known)) {
				print $1 ":" $2 ": room \"" room "\" has no row in tests/check/arrows.sh"
				next
			}
			if (line ~ /<sonde\//)
				next
			if (line ~ /</) {
				if (line ~ /<(base|io|codec|model|order|threads|tracefmt|perfdata|tracedat)\// ||
				    line ~ /<(parquet|fleet|symbol|unwind|resolve|sched|stat|table|insight)\// ||
				    line ~ /<(record|analyze|export|api|cli)\//)
					print $1 ":" $2 ": write \"room/file.h\" for a header of src/: " line
				next
			}
			if (!match(line, /"[^"]*"/)) {
				print $1 ":" $2 ": cannot tell what is included: " line
				next
			}
			target = substr(line, RSTART + 1, RLENGTH - 2)
			if (target !~ /\//) {
				print $1 ":" $2 ": write \"" room "/" target "\", not \"" target "\""
				next
			}
			sub(/\/[^\/]*$/, "", target)
			if (is_test($1) && room_of(room) == room_of(target))
				next
			if (target in users && !index(users[target], " " room " "))
				print $1 ":" $2 ": the headers of " target " are for" users[target] "only"
			else if (!reach(room, target))
				print $1 ":" $2 ": " room " may not include " target
		}'
}

# The check itself: one bad tree, each kind of mistake found at its place.
mkdir -p "$tmp/src/perfdata/scan" "$tmp/src/cli" "$tmp/include/sonde" "$tmp/examples" "$tmp/src/annex" \
	"$tmp/src/tracefmt/plugin"
cat >"$tmp/src/perfdata/scan/a.c" <<'END'
#include "base/cursor.h"
#include "tracedat/page.h"
#include "a.h"
#include <stdio.h>
#include "perfdata/read/walk.h"
END
echo '#include "model/sink.h"' >"$tmp/src/cli/b.c"
echo '#include "base/buf.h"' >"$tmp/include/sonde/c.h"
echo '#include <base/buf.h>' >"$tmp/examples/d.c"
echo '#include "base/buf.h"' >"$tmp/src/annex/e.c"
echo '#include "tracefmt/plugin/plugins.h"' >"$tmp/src/tracefmt/f.c"
echo '#include "tracefmt/printer.h"' >"$tmp/src/tracefmt/plugin/g.c"
mkdir -p "$tmp/src/api/export"
echo '#include "analyze/profile/gathering.h"' >"$tmp/src/api/export/h.c"
check_tree "$tmp" | sed 's/ .*//' >"$tmp/found"
printf '%s\n' examples/d.c:1: include/sonde/c.h:1: src/annex/e.c:1: src/api/export/h.c:1: src/cli/b.c:1: \
	src/perfdata/scan/a.c:2: src/perfdata/scan/a.c:3: src/perfdata/scan/a.c:5: \
	src/tracefmt/f.c:1: |
	cmp -s - "$tmp/found" || { cat "$tmp/found"; fail "the check does not find the mistakes of a bad tree"; }

check_tree "$SONDE_SOURCE" >"$tmp/wrong"
cat "$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail "includes against the arrows"
