#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh - what tests/npm/package-lock.json lists, into build/npm: `npm ci`, once for each state of the list
#
# Readers of the formats that sonde writes: speedscope, the loader of the Firefox Profiler, a decoder of pprof, DuckDB,
# a checker of JSON schemas; and TypeScript, which checks the scripts of the page. Without npm, or without its registry,
# the tests that need them are skipped.
set -eu
cd "$(dirname "$0")"
place=../../build/npm
if cmp -s package-lock.json "$place/installed.json"; then
	exit 0
fi
command -v npm >/dev/null || { echo "install.sh: there is no npm" >&2; exit 1; }
mkdir -p "$place"
cp package.json package-lock.json .npmrc "$place"
# one more try for each package, soon: a machine without a network is not waited for
if ! (cd "$place" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error --fetch-retries=1 \
	--fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=3000 --fetch-timeout=60000) \
	>"$place/install.log" 2>&1 </dev/null; then
	why=$(sed -n 's/^npm \(ERR!\|error\) \(.*Error:\|request to\)/\2/p' "$place/install.log" | head -1)
	echo "install.sh: npm ci fails: ${why:-see build/npm/install.log}" >&2
	exit 1
fi
cp package-lock.json "$place/installed.json"
