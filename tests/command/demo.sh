#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh - `./dev demo` says how long it takes and how far it is, and shows a call tree and a page
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"
run "$SONDE" record -g -e cpu-clock:u -o probe.data true
[ "$status" -eq 0 ] || skip "recording is not possible here: $(cat "$tmp/err")"

# the functions of dev, without those that install and build: what this build has made stands in their place
mkdir build
ln -s "$SONDE_BUILD" build/release
for name in show demo how_far watched; do
	sed -n "/^$name() {/,/^}/p" "$SONDE_SOURCE/dev"
done >functions
cat >demo <<'SH'
set -eu
missing_of() { missing=; }
need() { echo "installs for: $*"; }
configure() { :; }
compile() { echo "builds: $*"; }
werror=
. ./functions
demo
SH
run sh demo
want_status 0
[ "$(head -1 "$tmp/out")" = 'dev: a demonstration; on two CPUs it takes about a minute the first time' ] ||
	failed_run 'the first line says how long it takes'
want_out '^installs for: build demo$'
want_out '^builds: release src/cli/sonde bench/workload$'
want_out '^ +(\||--).*--[0-9.]+%--'             # a call tree
# what takes most time is the workload's own, with names wherever its C library has none; a sanitizer's calls take more
if [ "$SONDE_SANITIZE" = none ]; then
	first=$(grep -m1 -E '^ +[0-9.]+% ' out)
	case $first in
	*' workload '*' workload '*'[.] '[a-z]*) ;;
	*) failed_run "the first row has no name: $first" ;;
	esac
fi
[ -s build/demo/report.html ] || fail "there is no page"
# the workload says nothing of what it computes
"$SONDE_BUILD/bench/workload" 0.05 >words 2>&1 || fail "the workload"
[ ! -s words ] || fail "the workload says: $(head -3 words)"

# how far, from what the build and the installation print
printf '[3/744] Compiling C object a.o\n[12/744] Compiling C object b.o\n' >log
[ "$(sh -c '. ./functions; how_far log')" = '12 of 744 steps' ] ||
	fail "how far: $(sh -c '. ./functions; how_far log')"
if command -v script >/dev/null 2>&1; then
	echo '. ./functions; watched building log sh -c "echo \"[5/9] Linking\"; sleep 4"' >watch
	script -q -e -c 'sh watch' /dev/null >shown 2>&1 </dev/null || fail "watched: $(cat shown)"
	grep -q 'dev: building: [1-9][0-9]* s, .*5 of 9' shown || fail "no progress: $(cat -v shown)"
fi
