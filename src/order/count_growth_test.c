/* SPDX-License-Identifier: MIT */
#include "order/count_growth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static uint64_t growth(struct count_growth *g, const struct sonde_attr *attr, int32_t tid, uint64_t id, uint64_t value)
{
	const struct sonde_evsel evsel = { .attr = attr };
	uint64_t v = 12345;

	assert_int_equal(count_growth_take(g, &evsel, tid, id, value, &v), 0);
	return v;
}

static void test_each_id_grows_by_itself(void **state)
{
	const struct sonde_attr attr = { 0 };
	struct count_growth g = { 0 };

	(void)state;
	assert_int_equal(growth(&g, &attr, 1, 7, 100), 100);
	assert_int_equal(growth(&g, &attr, 1, 8, 30), 30);
	assert_int_equal(growth(&g, &attr, 2, 7, 150), 50);   /* on that CPU, whichever thread runs */
	assert_int_equal(growth(&g, &attr, 1, 8, 30), 0);
	count_growth_free(&g);
}

static void test_inherited_counts_are_of_threads(void **state)
{
	const struct sonde_attr attr = { .flags = SONDE_ATTR_INHERIT };
	struct count_growth g = { 0 };

	(void)state;
	assert_int_equal(growth(&g, &attr, 1, 7, 100), 100);
	assert_int_equal(growth(&g, &attr, 2, 7, 150), 150);
	assert_int_equal(growth(&g, &attr, 1, 7, 101), 1);
	count_growth_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_id_grows_by_itself),
		cmocka_unit_test(test_inherited_counts_are_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
