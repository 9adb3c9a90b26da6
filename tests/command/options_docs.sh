#!/bin/sh
# SPDX-License-Identifier: MIT
# options_docs.sh - docs/options.md says of every option of perf and trace-cmd what the tables of sonde say now, and
# docs/terminal.md of every key
. "$SONDE_SOURCE/tests/lib.sh"
need_command python3

python3 "$SONDE_SOURCE/docs/options/make.py" "$SONDE" --check ||
	fail "docs/options.md is not what docs/options/make.py makes"

python3 "$SONDE_SOURCE/docs/terminal/make.py" "$SONDE" --check ||
	fail "docs/terminal.md is not what docs/terminal/make.py makes"

# an option that changes its class is seen
mkdir "$tmp/docs" "$tmp/docs/options"
cp "$SONDE_SOURCE/docs/options.md" "$tmp/docs"
cp "$SONDE_SOURCE"/docs/options/* "$tmp/docs/options" 2>/dev/null
sed -i 's/^trace-cmd record -m differs .*/trace-cmd record -m same/' "$tmp/docs/options/notes.txt"
run python3 "$tmp/docs/options/make.py" "$SONDE" --check
want_status 1
want_out '^  - \| `-m` \| differs \|'
sed -i '/^trace-cmd record -m/d' "$tmp/docs/options/notes.txt"
run python3 "$tmp/docs/options/make.py" "$SONDE" --check
want_status 1
want_out '^notes.txt: trace-cmd record -m is missing'

# theirs.txt is what the tools say themselves
newest=$SONDE_SOURCE/../shared/tools/newest-perf
[ -x "$newest" ] || skip "there is no newest perf to compare the list with; docs/options.md is up to date"
ln -s "$newest" "$tmp/newest-trace-cmd"
"$tmp/newest-trace-cmd" -h >"$tmp/version" 2>&1 || :
grep -q 'version 3\.4' "$tmp/version" || skip \
	"there is no trace-cmd 3.4 to compare the list with; docs/options.md is up to date"
python3 "$SONDE_SOURCE/docs/options/collect.py" "$newest" "$tmp/newest-trace-cmd" >"$tmp/theirs"
cmp "$tmp/theirs" "$SONDE_SOURCE/docs/options/theirs.txt" ||
	fail "docs/options/theirs.txt is not what perf and trace-cmd list"
