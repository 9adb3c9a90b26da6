#!/bin/sh
# SPDX-License-Identifier: MIT
# dev.sh - ./dev explains each of its commands, refuses others, and knows which packages there are for what
. "$SONDE_SOURCE/tests/lib.sh"
dev=$SONDE_SOURCE/dev

run "$dev" help
want_status 0
for command in $(sed -n '/^case $command in/,/^esac/s/^\([a-z| -]*\)).*/\1/p' "$dev" | tr -d '|'); do
	case $command in
	help | -h | --help) ;;
	*) want_out "^  \./dev $command( |$)" ;;
	esac
done
want_out '^  \./dev test quick '
want_out '^  \./dev test NAME\.\.\. '

run "$dev" nonsense
want_status 2
want_err "there is no 'nonsense'"

# every row of the table has a name, or a sign, for each distribution
sed -n "/^packages='/,/^'/p" "$dev" | grep -v "'" >"$tmp/table"
awk 'NF && NF != 6 { print; bad = 1 } END { exit bad }' "$tmp/table" || fail "a row of the packages is not complete"
awk 'NF && $1 !~ /^(what|build|test|full|hosts|lint)$/ { print; bad = 1 } END { exit bad }' "$tmp/table" ||
	fail "nobody asks for these packages"
