#!/bin/sh
# SPDX-License-Identifier: MIT
# uretprobe.sh - stacks of --call-graph dwarf through a function whose return address a uretprobe has replaced
. "$SONDE_SOURCE/tests/lib.sh"
command -v cc >/dev/null 2>&1 || skip 'no compiler'
case $(uname -m) in
x86_64 | i?86 | aarch64 | riscv64 | s390x) ;;
*) skip 'calls of this processor are not read' ;;
esac
cd "$tmp"

cat >probed.c <<'END'
#include <stdlib.h>
volatile unsigned sum;
static unsigned long rounds;
__attribute__((noinline)) void burn(void) { for (unsigned long i = 0; i < rounds; i++) sum += i; }
__attribute__((noinline)) void probed(void) { volatile char room[40]; room[3] = 1; burn(); sum += room[3]; }
__attribute__((noinline)) void by_pointer(void) { volatile char room[80]; room[3] = 1; burn(); sum += room[3]; }
void (*volatile pointer)(void) = by_pointer;
__attribute__((noinline)) void caller(void)
{
	volatile char room[100];
	room[3] = 1;
	probed();
	pointer();
	sum += room[3];
}
int main(int argc, char **argv) { rounds = strtoul(argv[argc - 1], 0, 10) * 1000; caller(); return 0; }
END
cc -O2 -g0 -fomit-frame-pointer -fno-optimize-sibling-calls -o probed probed.c 2>err ||
	skip "cannot compile: $(cat err)"
"$SONDE" record -q --call-graph dwarf,8192 -F 1000 -e cpu-clock:u -e "uprobe:$PWD/probed:probed%return" \
	-e "uprobe:$PWD/probed:by_pointer%return" -o probed.data -- ./probed 100000 2>err ||
	skip "cannot record with uprobes: $(cat err)"

# "burn;probed;...": the functions of each sample, innermost first
"$SONDE" script --no-inline -F ip,sym -i probed.data >out 2>err || fail "script: $(cat err)"
awk 'NF == 0 { if (stack) print stack; stack = "" }
	NF { stack = stack (stack ? ";" : "") $2 }
	END { if (stack) print stack }' out >stacks

# the only function that calls probed(), and is called from where the stack says
grep '^burn;probed' stacks >direct || fail "no sample below probed(): $(sort stacks | uniq -c | head -3)"
if grep -v '^burn;probed;caller;main;.*_start$' direct >wrong
then fail "stacks are wrong: $(sort wrong | uniq -c | head -3)"; fi
# nothing says which function calls through a pointer
grep '^burn;by_pointer' stacks >indirect || fail "no sample below by_pointer(): $(sort stacks | uniq -c | head -3)"
if grep -v '^burn;by_pointer$' indirect >wrong
then fail "stacks are wrong: $(sort wrong | uniq -c | head -3)"; fi
run "$SONDE" report --stdio -g -i probed.data
want_out '^# Stacks: .*% ended by a uretprobe$'
