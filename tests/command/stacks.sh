#!/bin/sh
# SPDX-License-Identifier: MIT
# stacks.sh - recordings with --call-graph dwarf: callers of code without frame pointers, and how the stacks ended
. "$SONDE_SOURCE/tests/lib.sh"
command -v cc >/dev/null 2>&1 || skip 'no compiler'
cd "$tmp"

# burn() runs under a recursion, and in a signal handler
cat >deep.c <<'END'
#include <signal.h>
#include <stdlib.h>
volatile unsigned sum;
static unsigned long rounds;
__attribute__((noinline)) void burn(void)
{
	for (unsigned long i = 0; i < rounds; i++)
		sum += i;
}
__attribute__((noinline)) void down(int levels)
{
	volatile char room[600];
	room[levels] = 1;
	if (levels)
		down(levels - 1);
	else
		burn();
	sum += room[levels];
}
__attribute__((noinline)) void handler(int signal) { sum += signal; burn(); sum++; }
__attribute__((noinline)) void raiser(void) { raise(SIGUSR1); sum++; }
int main(int argc, char **argv)
{
	rounds = strtoul(getenv("ROUNDS"), 0, 10) * 1000;
	signal(SIGUSR1, handler);
	down(argc > 1 ? atoi(argv[1]) : 3);
	raiser();
	return 0;
}
END
cc -O2 -g0 -fomit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c 2>err || skip "cannot compile: $(cat err)"

# record_enough CALL-GRAPH FILE COMMAND...: until there are samples enough, for a loaded machine takes fewer of the same
# rounds; what the recorder said is in `advice`
record_enough() {
	how=$1
	file=$2
	shift 2
	for ROUNDS in 100000 300000 1000000 3000000; do
		export ROUNDS
		"$SONDE" record --call-graph "$how" -e cpu-clock:u -F 1000 -o "$file" -- "$@" >/dev/null 2>advice ||
			return 1
		samples=$("$SONDE" info --count "$file" | sed -n 's/^# samples  *: cpu-clock:u \([0-9]*\)$/\1/p')
		[ "${samples:-0}" -lt 30 ] || return 0
	done
}
record_enough dwarf,8192 dwarf.data ./deep || skip "cannot record: $(cat advice)"
record_enough dwarf,4096 short.data ./deep 40
cp advice cut.said
record_enough fp fp.data ./deep

# "burn;down;...": the functions of each sample, innermost first
stacks() {
	"$SONDE" script --no-inline -F ip,sym "$@" 2>err | awk '
		NF == 0 { if (stack) print stack; stack = "" }
		NF { stack = stack (stack ? ";" : "") $2 }
		END { if (stack) print stack }'
}
stacks dwarf.data >all
grep '^burn;' all >burning || fail "no sample in burn: $(head -3 all)"
# libc has no symbols of its inner functions: only the named ones below main are known
if grep -v -e '^burn;down;down;down;down;main;' -e '^burn;handler;.*;raiser;main;' burning >wrong
then fail "stacks are wrong: $(sort wrong | uniq -c | head -3)"; fi
grep -q '^burn;down;' burning || fail 'no sample below down()'
grep -q '^burn;handler;' burning || fail 'no sample in the handler'
# convert keeps a stack's bytes, whose order is that of the machine
"$SONDE" convert -q --endian big dwarf.data big.data 2>err || fail "convert: $(cat err)"
stacks big.data | cmp -s - all || fail 'a recording in the other byte order has other stacks'
if grep -v '_start$' burning >wrong; then fail "stacks end too early: $(sort wrong | uniq -c | head -3)"; fi

run "$SONDE" report --no-children -g caller dwarf.data
want_status 0
grep -q '^# Stacks: [0-9]* unwound: .*% complete' "$tmp/out" || failed_run 'the end of the stacks is not told'

# 41 frames of more than 600 bytes do not fit into 4096
run "$SONDE" report --no-children -g caller short.data
grep -q '^# Stacks: [0-9]* unwound: .*% cut at 4096 copied bytes' "$tmp/out" ||
	failed_run 'nothing is told of the cut stacks'
# the samples in the handler are complete, so the recorder knows how long the others are: 41 frames and those of main
enough=$(sed -n 's/.*% of the stacks are cut at 4096 bytes: .* dwarf,\([0-9]*\) would have reached .*/\1/p' cut.said)
[ "${enough:-0}" -ge $((41 * 600)) ] && [ "$enough" -le $((41 * 700 + 2048)) ] || fail "advice: $(cat cut.said)"
record_enough "dwarf,$enough" whole.data ./deep 40
if grep -q 'of the stacks are cut' advice; then fail "advice: $(cat advice)"; fi
stacks short.data | grep '^burn;down;down;down;down;down;' >stopped || fail 'cut stacks have no callers'
if grep -q main stopped; then fail 'a stack goes beyond its copy'; fi

# with frame pointers besides, the frames go on above the copy: each level of the recursion once
cc -O2 -g0 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o deepfp deep.c 2>err || fail "cc: $(cat err)"
record_enough dwarf,4096,fp both.data ./deepfp 40
stacks both.data | grep '^burn;down;' >joined || fail 'no sample below down()'
levels=$(awk 'BEGIN { for (i = 0; i < 41; i++) printf "down;" }')
if grep -v "^burn;${levels}main;" joined >wrong; then fail "stacks are wrong: $(sort wrong | uniq -c | head -3)"; fi
for words in dwarf,fp,4096 dwarf,4096,lbr dwarf,,fp 'dwarf,'; do
	run "$SONDE" record --call-graph "$words" -o none.data -- true
	want_status 2
done

# code without CFI in a library: called through a stub, and with a frame pointer behind a pointer
if [ "$(uname -m)" = x86_64 ]; then
	cat >bare.s <<'END'
	.globl spin, through
	.type spin, @function
	.type through, @function
spin:
	push %rbx
	mov %rdi, %rbx
1:	dec %rbx
	jne 1b
	pop %rbx
	ret
	.size spin, .-spin
through:
	push %rbp
	mov %rsp, %rbp
	sub $160, %rsp
	call *%rdi
	leave
	ret
	.size through, .-through
	.section .note.GNU-stack
END
	cat >calls.c <<'END'
#include <stdlib.h>
void spin(unsigned long n);
void through(void (*f)(void));
volatile unsigned sum;
static unsigned long rounds;
__attribute__((noinline)) void burn(void) { for (unsigned long i = 0; i < rounds; i++) sum += i; }
__attribute__((noinline)) void first(void) { spin(rounds * 4); sum++; }
/* an entry of the jump table as mold makes it */
__asm__(".text\nentry: endbr64\nmov $1, %r11d\njmp *spin@GOTPCREL(%rip)\n");
void entry(unsigned long n);
__attribute__((noinline)) void third(void) { entry(rounds * 4); sum++; }
__attribute__((noinline)) void second(void) { through(burn); sum++; }
int main(void) { rounds = strtoul(getenv("ROUNDS"), 0, 10) * 1000; first(); second(); third(); return 0; }
END
	cc -shared -o libbare.so bare.s 2>err || fail "cc: $(cat err)"
	cc -O2 -g0 -fomit-frame-pointer -o calls calls.c -L. -lbare -Wl,-rpath,"$PWD" 2>err || fail "cc: $(cat err)"
	record_enough dwarf,8192 bare.data ./calls
	stacks bare.data | grep -e '^spin;' -e '^burn;' >bare
	for words in 'spin;first;main;' 'spin;third;main;' 'burn;through;second;main;'; do
		grep -q "^$words.*_start\$" bare || fail "no $words: $(sort bare | uniq -c)"
	done
	if grep -v -e '^spin;first;main;' -e '^spin;third;main;' -e '^burn;through;second;main;' bare >wrong
	then fail "stacks are wrong: $(sort wrong | uniq -c | head -3)"; fi

	# a process starts at the entry point of a file, in code that has no CFI in the loader and in small C libraries
	cat >entry.c <<'END'
__asm__(".globl _start\n_start: call run\n");
volatile unsigned long sum;
__attribute__((noinline)) void spend(void) { for (unsigned long i = 0; i < 500000000; i++) sum += i; }
void run(void) { spend(); sum++; __asm__ volatile("syscall" : : "a"(60), "D"(0)); }
END
	cc -O2 -g0 -static -nostdlib -fno-stack-protector -o entry entry.c 2>err || fail "cc: $(cat err)"
	"$SONDE" record -q --call-graph dwarf,8192 -e cpu-clock:u -F 1000 -o entry.data -- ./entry 2>err
	run "$SONDE" report --stdio -i entry.data
	grep -q '^# Stacks: [0-9]* unwound: 100.0% complete' "$tmp/out" ||
		failed_run 'the entry point is no end of a stack'
	grep -q '_start$' "$tmp/out" || failed_run 'the entry point is in no stack'
fi

# the threads that format do not matter, and neither does the format
for words in script export 'report --json'; do
	# shellcheck disable=SC2086 # words
	run "$SONDE" ${words%% *} dwarf.data ${words#"${words%% *}"}
	want_status 0
	grep -q raiser "$tmp/out" || failed_run "no callers in $words"
done
run "$SONDE" report --html=page.html short.data
want_status 0
grep -q '[0-9]* unwound: .*% cut at 4096 copied bytes' page.html || fail 'the page says nothing of the cut stacks'
run "$SONDE" report --no-children fp.data
if grep -q '^# Stacks' "$tmp/out"; then failed_run 'these stacks need no unwinding'; fi
run "$SONDE" script --max-stack 2 -F ip,sym dwarf.data
[ "$(stacks --max-stack 2 dwarf.data | sed 's/[^;]//g' | sort -u | tail -1)" = ';' ] || fail 'more than two frames'

# ---- the callchains without the copies, for every reader ----
run "$SONDE" convert --unwind dwarf.data chains.data
want_status 0
[ "$(($(wc -c <chains.data) * 5))" -lt "$(wc -c <dwarf.data)" ] || fail "still $(wc -c <chains.data) bytes"
"$SONDE" script dwarf.data >dwarf.txt
"$SONDE" script chains.data >chains.txt
cmp dwarf.txt chains.txt || fail 'other chains than those of the stacks'
run "$SONDE" check chains.data
want_status 0
"$SONDE" dump chains.data >records
if grep -q user_stack records; then fail 'there are copies of stacks'; fi
run "$SONDE" convert --unwind fp.data none.data
want_status 1
want_err 'fp.data: has no copies of stacks: it was recorded without --call-graph dwarf or lbr'
[ ! -e none.data ] || fail 'a file was written'
run "$SONDE" convert --unwind --redact dwarf.data none.data
want_status 2
for perf in perf "${SONDE_NEWEST_PERF:-$SONDE_CORPUS/../tools/newest-perf}"; do
	command -v "$perf" >/dev/null 2>&1 || continue
	"$perf" script --no-inline -F ip,sym -i chains.data 2>err </dev/null >theirs.txt || fail "$perf: $(cat err)"
	grep -c down theirs.txt >theirs
	grep -c down chains.txt >ours
	cmp ours theirs || fail "$perf finds $(cat theirs) frames of down, not $(cat ours)"
done
