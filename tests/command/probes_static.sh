#!/bin/sh
# SPDX-License-Identifier: MIT
# probes_static.sh - the static probes (USDT) of a program: listed, recorded with their arguments, and counted
. "$SONDE_SOURCE/tests/lib.sh"

# The notes that sys/sdt.h makes, by hand. The program tells whether its semaphore is on.
cat >"$tmp/app.c" <<'END'
#include <stdio.h>

unsigned short app_semaphore __attribute__((section(".probes")));

#define NOTE(NAME, ARGS) \
	".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b\n.8byte app_base\n.8byte app_semaphore\n" \
	".asciz \"app\"\n.asciz \"" NAME "\"\n.asciz \"" ARGS "\"\n994: .balign 4\n.popsection\n"

__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\napp_base: .space 1\n.popsection\n");

static __attribute__((noinline)) void request(int n)
{
#ifdef __x86_64__
	__asm__ volatile("990: nop\n" NOTE("request", "-4@%%edi 8@$-5 4@(%%rax,%%rbx,2)") :: "D"(n));
#else
	__asm__ volatile("990: nop\n" NOTE("request", "") :: "r"(n));
#endif
	__asm__ volatile("990: nop\n" NOTE("twice", ""));
	__asm__ volatile("990: nop\n" NOTE("twice", ""));
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		request(40 + i);
	printf("semaphore %d\n", *(volatile unsigned short *)&app_semaphore);
	return 0;
}
END
${CC:-cc} -O1 -o "$tmp/app" "$tmp/app.c" 2>"$tmp/cc.err" || skip "no 64-bit program can be built: $(cat "$tmp/cc.err")"

run "$SONDE" list sdt "$tmp/app"
want_status 0
want_out "^  sdt:$tmp/app:app:request +\\[SDT event\\]\$"
[ "$(grep -c app:twice "$tmp/out")" = 1 ] || fail "a probe in two places is listed: $(cat "$tmp/out")"
run "$SONDE" list --json sdt "$tmp/app"
want_out "\"EventName\": *\"sdt:$tmp/app:app:request\""
run "$SONDE" list sdt "$tmp/app.c"
want_status 1
run "$SONDE" list sdt "$SONDE"
want_status 1
want_err 'no static probe is in '
run "$SONDE" list sdt /nonexistent
want_status 1

# The texts that the kernel gets, in a tracefs that is made of files.
mkdir -p "$tmp/fake/events"
echo header >"$tmp/fake/events/header_page"
: >"$tmp/fake/uprobe_events"
run env "TRACEFS_PATH=$tmp/fake" "$SONDE" record --dry-run -e "sdt:$tmp/app:app:request" true
want_status 2
case $(uname -m) in
x86_64) arguments=' arg1=%di:s32 arg2=\-5:u64' shown=' arg1=4[0-2] arg2=18446744073709551611' ;;
*) arguments='' shown='' ;;
esac
file=$(readlink -f "$tmp/app")
place=$(sed -n "s|^p:sonde_[^/]*/request $file:0x[0-9a-f]*(0x[0-9a-f]*)||p" "$tmp/fake/uprobe_events")
[ "$place" = "$arguments" ] || fail "the definition of the probe: $(cat "$tmp/fake/uprobe_events")"

wrong() {
	run env "TRACEFS_PATH=$tmp/fake" "$SONDE" record --dry-run -e "$1" true
	want_status 2
	want_err "$2"
}
wrong 'sdt:' 'expected FILE:PROVIDER:NAME'
wrong "sdt:$tmp/app:request" 'expected FILE:PROVIDER:NAME'
wrong "sdt:/nonexistent:app:request" "there is no file '/nonexistent'"
wrong "sdt:$tmp/app:app:nothing" 'has no probe app:nothing'
wrong "sdt:$tmp/app.c:app:request" 'has no probe app:request'

# The kernel's own.
tracefs=/sys/kernel/tracing
[ -d $tracefs/events ] || tracefs=/sys/kernel/debug/tracing
[ -w $tracefs/uprobe_events ] || skip_part "uprobes cannot be added here"
[ -z "$in_part" ] || exit 0
"$SONDE" record --dry-run -e "sdt:$tmp/app:app:request" true 2>"$tmp/err" ||
	skip "the kernel takes no uprobe in $tmp: $(cat "$tmp/err")"
run "$SONDE" record -q -o "$tmp/data" -e "sdt:$tmp/app:app:request,sdt:$tmp/app:app:twice" "$tmp/app"
want_status 0
want_out '^semaphore [1-9]'
run "$SONDE" script "$tmp/data"
want_out "sdt_app:request: \\([0-9a-f]+\\)$shown\$"
[ "$(grep -c 'sdt_app:request:' "$tmp/out")" = 3 ] || fail "three requests: $(cat "$tmp/out")"
[ "$(grep -c 'sdt_app:twice' "$tmp/out")" = 6 ] || fail "two places: $(cat "$tmp/out")"
run "$SONDE" stat -x, -e "sdt:$tmp/app:app:request" "$tmp/app"
want_status 0
want_err '^3,,sdt_app:request,'
! grep -q "$tmp/app" $tracefs/uprobe_events || fail "the probes are left: $(cat $tracefs/uprobe_events)"
