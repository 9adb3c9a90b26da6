#!/bin/sh
# SPDX-License-Identifier: MIT
# many_binaries.sh - stacks through more binaries than a process may have open files
. "$SONDE_SOURCE/tests/lib.sh"
command -v cc >/dev/null 2>&1 || skip 'no compiler'
cd "$tmp"

# each library calls the next one
cat >hop.c <<'END'
volatile unsigned sum;
void hop(int left, void (**next)(int, void *))
{
	volatile char room[40];
	room[0] = 1;
	next[0](left - 1, next + 1);
	sum += room[0];
}
END
cat >hops.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
static void *next[200];
volatile unsigned sum;
static void burn(int left, void *ignored)
{
	for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
		for (int i = 0; i < 100000; i++)
			sum += (unsigned)left;
}
int main(void)
{
	char name[64];
	for (int i = 0; i < 100; i++) {
		void *library;
		snprintf(name, sizeof(name), "./lib%d.so", i);
		library = dlopen(name, RTLD_NOW);
		next[i] = library ? dlsym(library, "hop") : 0;
		if (!next[i])
			return 1;
	}
	next[100] = (void *)burn;
	((void (*)(int, void **))next[0])(100, next + 1);
	return sum == 1;
}
END
cc -O2 -fomit-frame-pointer -fPIC -shared -o hop.so hop.c 2>err || skip "cannot compile: $(cat err)"
cc -O2 -fomit-frame-pointer -o hops hops.c -ldl 2>err || fail "cc: $(cat err)"
i=0
while [ $i -lt 100 ]; do
	cp hop.so "lib$i.so"
	i=$((i + 1))
done
"$SONDE" record -q --call-graph dwarf,32768 -e cpu-clock:u -F 500 -o hops.data -- ./hops >/dev/null 2>err ||
	skip "cannot record: $(cat err)"

run sh -c 'ulimit -n 64; exec "$SONDE" script -F ip,sym --max-stack 1024 hops.data'
want_status 0
# the samples in burn(): 100 libraries, and main() below them
awk 'NF == 0 { if (burning) print hops, ended; hops = ended = burning = 0 }
	$2 == "burn" { burning = 1 } $2 == "hop" { hops++ } $2 == "main" { ended = 1 }' "$tmp/out" |
	sort | uniq -c >seen
[ "$(awk '{ print $2, $3 }' seen)" = '100 1' ] || fail "hops and ends of stacks in burn(): $(cat seen)"
