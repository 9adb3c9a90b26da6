#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh - what tests/npm/package-lock.json lists, into build/npm: `npm ci`, once for each state of the list
#
# The importers of speedscope and of the Firefox Profiler, which tests/web_readers.py runs. Where there is no npm, or it
# cannot reach its registry, these tests are skipped.
set -eu
cd "$(dirname "$0")"
place=../../build/npm
if cmp -s package-lock.json "$place/installed.json"; then
	exit 0
fi
command -v npm >/dev/null || { echo "install.sh: there is no npm" >&2; exit 1; }
mkdir -p "$place"
cp package.json package-lock.json .npmrc "$place"
(cd "$place" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
cp package-lock.json "$place/installed.json"
