/* SPDX-License-Identifier: MIT */
#include "record/event/sdt_args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void want(const char *text, const char *args)
{
	char out[128];

	sdt_args(text, out, sizeof(out));
#if defined(__x86_64__)
	assert_string_equal(out, args);
#else
	(void)args;
	assert_string_equal(out, "");
#endif
}

static void operands_are_the_kernels(void **state)
{
	(void)state;
	want("", "");
	want("-4@%edi", "arg1=%di:s32");
	want("8@%rsp 2@%cx -1@%al 1@%dil", "arg1=%sp:u64 arg2=%cx:u16 arg3=%ax:s8 arg4=%di:u8");
	want("8@%r8 4@%r15d 2@%r9w 1@%r10b", "arg1=%r8:u64 arg2=%r15:u32 arg3=%r9:u16 arg4=%r10:u8");
	want("8@-16(%rbp) 8@(%rax) 4@0x20(%rsp)", "arg1=-16(%bp):u64 arg2=+0(%ax):u64 arg3=+32(%sp):u32");
	want("-4@$-5 8@$7", "arg1=\\-5:s32 arg2=\\7:u64");
}

/* The others keep their numbers. */
static void others_are_left_out(void **state)
{
	(void)state;
	want("4@(%rax,%rbx,2) 8@%rdi", "arg2=%di:u64");
	want("8@name(%rip) 8f@%xmm0 16@%rax 8@%r16 8@%r7 8@%st", "");
	want("@%rax 8@ 8 8@% 8@( 8@(% 8@() 8@$ 8@$x 8@%rdix   ", "");
	want("8@%rdi 8@%rdi 8@%rdi 8@%rdi 8@%rdi 8@%rdi 8@%rdi 8@%rdi 8@%rdi 8@%rdi",
	     "arg1=%di:u64 arg2=%di:u64 arg3=%di:u64 arg4=%di:u64 arg5=%di:u64 arg6=%di:u64 arg7=%di:u64 arg8=%di:u64 "
	     "arg9=%di:u64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_are_the_kernels),
		cmocka_unit_test(others_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
