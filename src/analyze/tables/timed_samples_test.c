/* SPDX-License-Identifier: MIT */
#include "analyze/tables/timed_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/bytes.h"

static void add(struct timed_samples *t, uint64_t time, uint64_t period, uint32_t cell, uint32_t cpu)
{
	struct sonde_profile_sample s = { .time = time, .period = period, .cell = cell, .cpu = cpu };

	assert_int_equal(timed_samples_add(t, &s), 0);
}

static void test_a_sample_takes_24_bytes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct sonde_profile_sample), 24);
}

static void test_samples_in_order_stay_as_they_came(void **state)
{
	struct timed_samples t = { .on = true };

	(void)state;
	add(&t, 5, 1, 9, 0);
	add(&t, 5, 1, 3, UINT32_MAX);
	add(&t, 6, 2, 1, 4);
	timed_samples_sort(&t);
	assert_int_equal(t.list.n, 3);
	assert_int_equal(t.list.at[0].cell, 9);
	assert_int_equal(t.list.at[1].cell, 3);
	assert_int_equal(t.list.at[1].cpu, UINT32_MAX);
	assert_int_equal(t.list.at[2].cpu, 4);
	timed_samples_free(&t);
}

static void test_late_samples_are_sorted_in(void **state)
{
	static const uint64_t times[] = { 7, SONDE_NONE, 3, 7, 5 }, sorted[] = { 3, 5, 7, 7, SONDE_NONE };
	struct timed_samples t = { .on = true };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(times); i++)
		add(&t, times[i], 1, 10 - i, 0);
	timed_samples_sort(&t);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		assert_int_equal(t.list.at[i].time, sorted[i]);
	assert_int_equal(t.list.at[2].cell, 7);  /* at one time by their cells */
	assert_int_equal(t.list.at[3].cell, 10);
	timed_samples_free(&t);
}

static void test_more_samples_than_may_be_kept(void **state)
{
	struct timed_samples t = { .on = true, .most = 2 };

	(void)state;
	add(&t, 1, 1, 0, 0);
	add(&t, 2, 1, 0, 0);
	assert_int_equal(t.list.n, 2);
	assert_true(t.on && !t.given_up);
	add(&t, 3, 1, 0, 0);
	assert_int_equal(t.list.n, 0);
	assert_true(!t.on && t.given_up);
}

static void test_no_samples_are_no_failure(void **state)
{
	struct timed_samples t = { .on = true };

	(void)state;
	timed_samples_sort(&t);
	assert_int_equal(t.list.n, 0);
	timed_samples_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sample_takes_24_bytes),
		cmocka_unit_test(test_samples_in_order_stay_as_they_came),
		cmocka_unit_test(test_late_samples_are_sorted_in),
		cmocka_unit_test(test_more_samples_than_may_be_kept),
		cmocka_unit_test(test_no_samples_are_no_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
