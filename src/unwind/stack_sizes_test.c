/* SPDX-License-Identifier: MIT */
#include "unwind/stack_sizes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { LIMIT = 65528, COPIED = 4096 };

#define TOP UINT64_C(0x7ffc00010000)

static void add(struct stack_sizes *s, int32_t tid, uint64_t top, uint64_t size)
{
	struct measured_stack stack = { .tid = tid, .complete = size <= COPIED, .at = top - size,
				      .bytes = size <= COPIED ? size : COPIED - 100 };

	assert_int_equal(stack_sizes_add(s, &stack), 0);
}

/* 41 frames of 616 bytes below 240 bytes, again and again, and a short stack now and then */
static void test_recursion(void **state)
{
	struct stack_sizes s = { 0 };
	struct stack_size size;

	(void)state;
	for (int i = 0; i < 100; i++)
		add(&s, 7, TOP, i % 10 ? 41 * 616 + 240 : 240);
	size = stack_sizes_enough(&s, 0.97, 512, LIMIT);
	assert_int_equal(size.bytes, 25600);
	assert_int_equal(size.whole, 100);
	size = stack_sizes_enough(&s, 0.1, 512, LIMIT);
	assert_int_equal(size.bytes, 512);
	assert_int_equal(size.whole, 10);
	stack_sizes_free(&s);
}

/* Each thread has a stack of its own: the end of another one says nothing. */
static void test_threads(void **state)
{
	struct stack_sizes s = { 0 };

	(void)state;
	add(&s, 1, TOP, 1000);
	for (int i = 0; i < 10; i++)
		add(&s, 2, TOP - 0x800000, 9000);
	assert_int_equal(stack_sizes_enough(&s, 0.97, 512, LIMIT).bytes, 1024);
	assert_int_equal(stack_sizes_enough(&s, 0.97, 512, LIMIT).whole, 1);
	add(&s, 2, TOP - 0x800000, 2000);
	assert_int_equal(stack_sizes_enough(&s, 0.97, 512, LIMIT).bytes, 9216);
	stack_sizes_free(&s);
}

/* A second stack in the same thread, above and below: the nearest end above counts. */
static void test_two_stacks(void **state)
{
	struct stack_sizes s = { 0 };

	(void)state;
	add(&s, 1, TOP, 1000);
	add(&s, 1, TOP + 0x100000, 1000);
	for (int i = 0; i < 98; i++)
		add(&s, 1, TOP, 6000);
	assert_int_equal(stack_sizes_enough(&s, 0.97, 512, LIMIT).bytes, 6144);
	stack_sizes_free(&s);
}

static void test_limits(void **state)
{
	struct stack_sizes s = { 0 };
	struct stack_size size;

	(void)state;
	assert_int_equal(stack_sizes_enough(&s, 0.97, 512, LIMIT).bytes, 0);
	add(&s, 1, TOP, 1000);
	add(&s, 1, TOP, 100000);
	add(&s, 1, TOP, 200000);
	size = stack_sizes_enough(&s, 0.97, 512, LIMIT);
	assert_int_equal(size.bytes, LIMIT);
	assert_int_equal(size.whole, 1);
	stack_sizes_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_two_stacks),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
