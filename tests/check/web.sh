#!/bin/sh
# SPDX-License-Identifier: MIT
# web.sh - the scripts of the HTML page: their unit tests, and their types by the checker of TypeScript
. "$SONDE_SOURCE/tests/lib.sh"

command -v node >/dev/null || skip 'there is no node'
cd "$SONDE_SOURCE/web"
node --test ./*_test.js >"$tmp/tests" 2>&1 || { cat "$tmp/tests"; fail 'unit tests of web/'; }

types=$SONDE_SOURCE/build/npm/node_modules/typescript/bin/tsc
[ -f "$types" ] || skip_part 'the types are not checked, npm has not installed TypeScript (tests/npm/install.sh)'
[ ! -f "$types" ] || node "$types" -p tsconfig.json || fail 'types of web/'
