/* SPDX-License-Identifier: MIT */
#include "analyze/tables/parallelism.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct parallelism p;

static void apply(uint32_t type, uint16_t misc, int32_t machine)
{
	const struct sonde_event ev = { .type = type, .misc = misc, .machine_pid = machine };

	parallelism_apply(&p, &ev);
}

static uint32_t at(int32_t machine, uint32_t nr_cpus)
{
	const struct sonde_event sample = { .machine_pid = machine };

	return parallelism_at(&p, &sample, nr_cpus);
}

static void test_switches_and_ends_count_the_threads(void **state)
{
	(void)state;
	p = (struct parallelism){ 0 };
	parallelism_restart(&p);
	assert_int_equal(at(0, 4), 1);
	apply(PERF_RECORD_SWITCH, 0, 0);
	apply(PERF_RECORD_SWITCH_CPU_WIDE, 0, 0);
	assert_int_equal(at(0, 4), 3);
	assert_int_equal(at(0, 2), 2);     /* more than CPUs: switches out of order */
	assert_int_equal(at(0, 0), 3);
	assert_int_equal(at(7, 4), 1);     /* of a guest nothing is known */
	apply(PERF_RECORD_SWITCH, 0, 7);
	apply(PERF_RECORD_COMM, 0, 0);
	assert_int_equal(at(0, 4), 3);
	apply(PERF_RECORD_EXIT, 0, 0);
	apply(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 0);
	assert_int_equal(at(0, 4), 1);
	apply(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, 0);
	apply(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, 0);
	assert_int_equal(at(0, 4), 1);
	apply(PERF_RECORD_SWITCH, 0, 0);
	apply(PERF_RECORD_SWITCH, 0, 0);
	assert_int_equal(at(0, 4), 1);     /* those below zero count */
	parallelism_restart(&p);
	apply(PERF_RECORD_SWITCH, 0, 0);
	assert_int_equal(at(0, 4), 2);
}

static void test_a_filter_has_numbers(void **state)
{
	(void)state;
	p = (struct parallelism){ 0 };
	assert_true(parallelism_is_wanted(&p, 1));
	assert_true(parallelism_is_wanted(&p, UINT32_MAX));
	parallelism_want(&p, 2);
	parallelism_want(&p, PARALLELISM_MAX);
	parallelism_want(&p, PARALLELISM_MAX + 1);
	parallelism_want(&p, UINT32_MAX);
	assert_false(parallelism_is_wanted(&p, 1));
	assert_true(parallelism_is_wanted(&p, 2));
	assert_true(parallelism_is_wanted(&p, PARALLELISM_MAX));
	assert_false(parallelism_is_wanted(&p, PARALLELISM_MAX + 1));
	assert_false(parallelism_is_wanted(&p, UINT32_MAX));
}

static void test_99_percent_alone_are_trivial(void **state)
{
	(void)state;
	p = (struct parallelism){ 0 };
	assert_false(parallelism_is_trivial(&p));
	parallelism_restart(&p);
	for (size_t i = 0; i < 98; i++)
		at(0, 4);
	apply(PERF_RECORD_SWITCH, 0, 0);
	at(0, 4);
	assert_false(parallelism_is_trivial(&p));    /* 98 of 99 */
	apply(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, 0);
	at(0, 4);
	assert_true(parallelism_is_trivial(&p));     /* 99 of 100 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switches_and_ends_count_the_threads),
		cmocka_unit_test(test_a_filter_has_numbers),
		cmocka_unit_test(test_99_percent_alone_are_trivial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
