/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "insight/base/spread.h"

static void nearest_rank_of_few(void **state)
{
	struct spread s = { 0 };

	(void)state;
	assert_int_equal(spread_percentile(&s, 50), 0);
	for (uint64_t v = 5; v >= 1; v--)
		assert_int_equal(spread_add(&s, v * 10), 0);
	assert_int_equal(spread_percentile(&s, 50), 30);
	assert_int_equal(spread_percentile(&s, 20), 10);
	assert_int_equal(spread_percentile(&s, 21), 20);
	assert_int_equal(spread_percentile(&s, 99), 50);
	assert_int_equal(s.n, 5);
	assert_int_equal(s.sum, 150);
	assert_int_equal(s.smallest, 10);
	assert_int_equal(s.largest, 50);
	spread_free(&s);
}

/* Up to the limit values are exact, and beyond within 0.4 percent, in any order. */
static void many(void **state)
{
	enum { N = 200000 };
	struct spread s = { 0 };

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		assert_int_equal(spread_add(&s, (i * 7919 % N + 1) * 1000), 0);
	assert_null(s.exact.at);
	for (unsigned p = 1; p <= 100; p++) {
		const double exact = (double)N * p / 100 * 1000, found = (double)spread_percentile(&s, p);

		assert_true(found > exact * 0.996 && found < exact * 1.004);
	}
	assert_int_equal(s.largest, (uint64_t)N * 1000);
	assert_int_equal(spread_percentile(&s, 100), s.largest);
	spread_free(&s);
}

static void small_values_are_exact(void **state)
{
	struct spread s = { 0 };

	(void)state;
	for (unsigned i = 0; i < 256 * 100; i++)
		assert_int_equal(spread_add(&s, i % 256), 0);
	assert_int_equal(spread_percentile(&s, 50), 127);
	assert_int_equal(spread_percentile(&s, 100), 255);
	spread_free(&s);
}

static void the_largest_values(void **state)
{
	struct spread s = { 0 };

	(void)state;
	for (unsigned i = 0; i < SPREAD_EXACT_MOST + 1; i++)
		assert_int_equal(spread_add(&s, UINT64_MAX - i), 0);
	assert_int_equal(s.largest, UINT64_MAX);
	assert_int_equal(s.sum, UINT64_MAX);
	assert_true(spread_percentile(&s, 50) >= s.smallest);
	spread_free(&s);
}

/* Parts that are merged give what the whole gives. */
static void merging(void **state)
{
	struct spread whole = { 0 }, parts[3] = { 0 }, merged = { 0 }, backwards = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 3000; i++) {
		const uint64_t v = i * i * 31 % 1000003;

		assert_int_equal(spread_add(&whole, v), 0);
		assert_int_equal(spread_add(&parts[i % 7 == 0 ? 0 : i % 5 == 0 ? 1 : 2], v), 0);
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(spread_merge(&merged, &parts[i]), 0);
		assert_int_equal(spread_merge(&backwards, &parts[2 - i]), 0);
	}
	assert_null(parts[0].octaves);
	assert_non_null(parts[2].octaves);
	assert_int_equal(merged.n, whole.n);
	assert_int_equal(merged.sum, whole.sum);
	for (unsigned p = 1; p <= 100; p++) {
		assert_int_equal(spread_percentile(&merged, p), spread_percentile(&whole, p));
		assert_int_equal(spread_percentile(&backwards, p), spread_percentile(&whole, p));
	}
	spread_free(&whole);
	spread_free(&merged);
	spread_free(&backwards);
	for (unsigned i = 0; i < 3; i++)
		spread_free(&parts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_rank_of_few),
		cmocka_unit_test(many),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(the_largest_values),
		cmocka_unit_test(merging),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
