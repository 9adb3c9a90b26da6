#!/bin/sh
# SPDX-License-Identifier: MIT
# home_of_user.sh - root with the HOME of a user (sudo -E, su) leaves nothing there, and follows no link of the user
. "$SONDE_SOURCE/tests/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "only root can have the home directory of another user"
chmod 755 "$tmp"
shipped callgraph.data
home=$tmp/home
mkdir "$home" "$tmp/root" "$tmp/of_root"
chown 65534 "$home"
: >"$tmp/of_root/0123456789abcdef0123456789abcdef01234567"
: >"$tmp/of_root/notes"
touch -d '2 days ago' "$tmp/of_root"/*
before=$(ls -l --full-time "$tmp/of_root" 2>/dev/null || ls -l "$tmp/of_root")

nothing_new() {
	left=$(find "$home" -user 0)
	[ -z "$left" ] || fail "$1: files of root in the home of a user: $left"
	after=$(ls -l --full-time "$tmp/of_root" 2>/dev/null || ls -l "$tmp/of_root")
	[ "$before" = "$after" ] || fail "$1: files behind a link of the user have changed: $after"
}

# the program's own symbols are enough to be kept
with_home() {
	env -u XDG_CACHE_HOME -u DEBUGINFOD_URLS HOME="$home" "$@"
}
use_symbols() {
	run with_home "$SONDE" symbols --json -i "$tmp/callgraph.data"
	run with_home "$SONDE" report -i "$tmp/callgraph.data"
	run with_home "$SONDE" report -i "$tmp/own.data" --sort srcline
	run with_home "$SONDE" report -i "$tmp/own.data"
	want_status 0
}
"$SONDE" record -q -e cpu-clock:u -o "$tmp/own.data" true >/dev/null 2>&1 || skip "cannot record here"
# one sample is needed in the program, which has so many symbols that its table is kept
sampled() {
	XDG_CACHE_HOME=/dev/null "$SONDE" record -q -e cpu-clock:u -F 9999 -o "$tmp/own.data" \
		sh -c "for i in 1 2 3 4 5 6 7 8; do '$SONDE' report -i '$tmp/callgraph.data'; done" >/dev/null 2>&1
	XDG_CACHE_HOME=/dev/null "$SONDE" report --stdio --sort dso -i "$tmp/own.data" | grep -q ' sonde *$'
}
wait_until sampled

use_symbols
nothing_new "a home without a cache"
env -u XDG_CACHE_HOME HOME="$tmp/root" "$SONDE" report -i "$tmp/own.data" >/dev/null 2>&1
[ -n "$(find "$tmp/root/.cache/sonde/symbols" -type f)" ] || fail "with its own home, root keeps no tables"

# the home of accounts like nobody, which nobody made
env -u XDG_CACHE_HOME HOME="$tmp/nonexistent" "$SONDE" report -i "$tmp/own.data" >/dev/null 2>&1
[ ! -e "$tmp/nonexistent" ] || fail "a home that was not there is made: $(find "$tmp/nonexistent")"

# links of the user: the whole cache, and its directory
link_of_user() {
	ln -sfn "$2" "$1"
	chown -h 65534 "$1"
}
link_of_user "$home/.cache" "$tmp/of_root"
use_symbols
nothing_new "a link in place of .cache"
rm "$home/.cache"
mkdir -p "$home/.cache/sonde"
chown -R 65534 "$home/.cache"
link_of_user "$home/.cache/sonde/symbols" "$tmp/of_root"
use_symbols
nothing_new "a link in place of .cache/sonde/symbols"
run env HOME=/root XDG_CACHE_HOME="$home/.cache" "$SONDE" report -i "$tmp/own.data"
want_status 0
nothing_new "XDG_CACHE_HOME of the user"

# copies of binaries: only where the directory is named
run with_home "$SONDE" record -q -e cpu-clock:u --buildid-cache -o "$tmp/data" true
want_status 1
want_err "copies of binaries: $home belongs to another user \(--buildid-cache=DIR names a directory\)"
nothing_new "record --buildid-cache"
run env HOME=/root XDG_CACHE_HOME= "$SONDE" record -q -e cpu-clock:u --buildid-cache="$tmp/copies" -o "$tmp/data" true
want_status 0

# downloads: libdebuginfod makes its cache below HOME
run env -u XDG_CACHE_HOME -u DEBUGINFOD_CACHE_PATH HOME="$home" "$SONDE" report --debuginfod=http://127.0.0.1:9 \
	-i "$tmp/callgraph.data"
want_err "debuginfod: nothing is downloaded, because $home/.cache/debuginfod_client would be in a directory of another"
nothing_new "report --debuginfod"
