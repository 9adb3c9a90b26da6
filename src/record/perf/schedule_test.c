/* SPDX-License-Identifier: MIT */
#include "record/perf/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void windows_open_and_close(void **state)
{
	const struct sonde_perf_window windows[] = { { 10, 20 }, { 30, 40 } };
	struct schedule s;

	(void)state;
	schedule_begin(&s, windows, 2, 1000);
	assert_int_equal(schedule_due(&s, 1009), 0);
	assert_int_equal(schedule_wait(&s, 1009, 500), 1);
	assert_int_equal(schedule_due(&s, 1010), 1);
	assert_int_equal(schedule_due(&s, 1010), 0);
	assert_int_equal(schedule_wait(&s, 1010, 4), 4);
	assert_int_equal(schedule_due(&s, 1020), -1);
	assert_int_equal(schedule_due(&s, 1020), 0);
	/* a loop that was late does each change in its turn */
	assert_int_equal(schedule_wait(&s, 2000, 500), 0);
	assert_int_equal(schedule_due(&s, 2000), 1);
	assert_int_equal(schedule_due(&s, 2000), -1);
	assert_int_equal(schedule_due(&s, 2000), 0);
	assert_int_equal(schedule_wait(&s, 2000, 500), 500);
}

static void a_delay_has_no_end(void **state)
{
	const struct sonde_perf_window delay = { 7, 0 };
	struct schedule s;

	(void)state;
	schedule_begin(&s, &delay, 1, 0);
	assert_int_equal(schedule_due(&s, 6), 0);
	assert_int_equal(schedule_due(&s, 7), 1);
	assert_int_equal(schedule_due(&s, UINT64_MAX - 1), 0);
	schedule_begin(&s, NULL, 0, 0);
	assert_int_equal(schedule_due(&s, 1000), 0);
	assert_int_equal(schedule_wait(&s, 1000, 500), 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_open_and_close),
		cmocka_unit_test(a_delay_has_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
