/* SPDX-License-Identifier: MIT */
#include "analyze/branches/branch_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void add(struct branch_kinds *k, uint64_t from, uint64_t to, uint64_t kind, uint64_t new_kind)
{
	const struct sonde_branch b = { .from = from, .to = to, .flags = kind << 20 | new_kind << 26 };

	branch_kinds_add(k, &b);
}

static void test_kinds_and_distances_are_counted(void **state)
{
	struct branch_kinds k = { 0 };

	(void)state;
	add(&k, 0x1000, 0x1010, 1, 0);
	add(&k, 0x1010, 0x1010, 1, 0);
	add(&k, 0x1ffe, 0x2000, 4, 0);
	add(&k, 0x1fffff, 0x200000, 4, 0);
	add(&k, 0x1000, 0x1010, 15, 15);
	assert_int_equal(k.branches[1], 2);
	assert_int_equal(k.branches[4], 2);
	assert_int_equal(k.branches[BRANCH_KINDS - 1], 1);
	assert_int_equal(k.forward, 1);
	assert_int_equal(k.backward, 1);
	assert_int_equal(k.other_4k, 1);
	assert_int_equal(k.other_2m, 1);
	assert_int_equal(branch_kinds_sum(&k), 5);
}

static void test_a_branch_without_kind_or_source_is_none(void **state)
{
	struct branch_kinds k = { 0 };

	(void)state;
	add(&k, 0x1000, 0x400000, 0, 3);
	add(&k, 0, 0x400000, 1, 0);
	assert_int_equal(branch_kinds_sum(&k), 0);
	assert_int_equal(k.forward + k.backward + k.other_4k + k.other_2m, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_and_distances_are_counted),
		cmocka_unit_test(test_a_branch_without_kind_or_source_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
