/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/address_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void ranges_that_touch_are_one(void **state)
{
	struct ranges r = { 0 };

	(void)state;
	ranges_sort(&r);
	assert_false(ranges_have(&r, 0));
	assert_int_equal(ranges_add(&r, 0x3000, 0x1000), 0);
	assert_int_equal(ranges_add(&r, 0x1000, 0x1000), 0);
	assert_int_equal(ranges_add(&r, 0x1800, 0x1000), 0);
	assert_int_equal(ranges_add(&r, 0x9000, 0), 0);
	assert_int_equal(ranges_add(&r, UINT64_MAX - 1, 100), 0);
	ranges_sort(&r);
	assert_int_equal(r.list.n, 3);
	assert_false(ranges_have(&r, 0xfff));
	assert_true(ranges_have(&r, 0x1000));
	assert_true(ranges_have(&r, 0x27ff));
	assert_false(ranges_have(&r, 0x2800));
	assert_true(ranges_have(&r, 0x3fff));
	assert_false(ranges_have(&r, 0x4000));
	assert_false(ranges_have(&r, 0x9000));
	assert_true(ranges_have(&r, UINT64_MAX));
	ranges_free(&r);
}

static void many_of_the_same_stay_few(void **state)
{
	struct ranges r = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		assert_int_equal(ranges_add(&r, i % 10 * 0x10000, 0x100), 0);
	assert_true(r.list.cap < 10000);
	ranges_sort(&r);
	assert_int_equal(r.list.n, 10);
	ranges_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_that_touch_are_one),
		cmocka_unit_test(many_of_the_same_stay_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
