#!/bin/sh
# SPDX-License-Identifier: MIT
# sources.sh - habits that a machine can hold: licence lines, a silent library, files of one noun
. "$SONDE_SOURCE/tests/lib.sh"

cd "$SONDE_SOURCE"
bad=0
sources=$(find . -path ./build -prune -o -path './build-*' -prune -o -path ./.git -prune -o -type f \
	\( -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.py' -o -name '*.js' -o -name '*.css' \
	-o -name meson.build -o -name meson_options.txt -o -name sonde.map -o -name dev -o -name run \) -print |
	sed 's|^\./||' | LC_ALL=C sort)

for f in $sources; do
	head -3 "$f" | grep -q 'SPDX-License-Identifier: MIT' || { echo "$f:1: no SPDX line"; bad=1; }
done

# The library never prints, never exits, and leaves process-wide state alone. (_exit: a forked child that could not
# exec)
for f in $(echo "$sources" | grep '^src/.*\.[ch]$' | grep -v -e '^src/cli/' -e '_test\.[ch]$'); do
	awk -v file="$f" '
		/^[ \t]*(\*|\/\*)/ { next }
		{ gsub(/"([^"\\]|\\.)*"/, "\"\""); sub(/\/\*.*/, "") }
		BEGIN {
			calls = "printf|vprintf|fprintf|vfprintf|puts|fputs|putchar|perror|exit|abort|setlocale|setenv|"
			calls = calls "putenv|chdir|umask|setrlimit|prlimit|atexit|strtok"
			calls = "(^|[^A-Za-z0-9_.>])(" calls ")[ ]*[(]"
		}
		$0 ~ calls {
			print file ":" FNR ": not in a library: " $0
			bad = 1
		}
		END { exit bad }' "$f" || bad=1
done

# A test ends where it needs the corpus, unless the suite corpus has it too.
on_corpus=$(awk '/on_corpus = / { on = 1 } on || /corpus-command_/; /]/ { on = 0 }' tests/meson.build)
for f in $(grep -l -E '^(need_corpus|\. .*/tests/damage\.sh)' tests/command/*.sh); do
	name=$(basename "$f" .sh)
	case $on_corpus in *"'$name'"* | *"corpus-command_$name'"*) ;;
	*) echo "$f: its part that needs the corpus is in no suite: tests/meson.build"; bad=1 ;;
	esac
done

# The meson.build of a file: of a folder in a room, that of the room.
room_list() {
	case $1 in
	src/*) echo "$1" | sed 's|^\(src/[^/]*\)/.*|\1/meson.build|' ;;
	*) echo "${1%/*}/meson.build" ;;
	esac
}

# What is not in a meson.build is not run.
listed='_test\.c$|^fuzz/.*\.c$|^tests/(check|command|corpus)/.*\.sh$|^(bench|examples)/.*\.c$'
for f in $(echo "$sources" | grep -E "$listed"); do
	case $f in
	*.sh) list=tests/meson.build name=${f##*/} ;;
	*) list=$(room_list "$f") name=${f##*/} ;;
	esac
	grep -q -e "['/]$name'" -e "['/]${name%.*}'" "$list" || { echo "$f:1: has no row in $list"; bad=1; }
done

# A folder is a room that can be overlooked.
echo "$sources" | grep '^src/.*\.c$' | grep -v '_test\.c$' | sed 's|/[^/]*$||' | sort | uniq -c >"$tmp/folders"
awk '$1 > 40 { print $2 ": has " $1 " sources, of 40; which of them are a folder of their own?"; bad = 1 }
	END { exit bad }' "$tmp/folders" || bad=1

for f in $sources; do
	lines=$(wc -l <"$f")
	[ "$lines" -le 800 ] || echo "warning: $f has $lines lines; has a second noun moved in?"
done
[ "$bad" -eq 0 ] || fail "sources"
