/* SPDX-License-Identifier: MIT */
/* A page made by hand, and instructions made by hand: machines without a PMU cannot show this otherwise. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "record/count/user_read.h"

static struct perf_event_mmap_page page;
static uint64_t counter, now;
static uint32_t asked;
static int writes;                   /* how often the kernel changes the page while it is read */

static uint64_t fake_counter(uint32_t index)
{
	asked = index;
	if (writes > 0) {
		writes--;
		page.lock++;
		page.offset += 1000;
	}
	return counter;
}

static uint64_t fake_clock(void)
{
	return now;
}

static const struct user_instructions fake = { fake_counter, fake_clock };

static int set_up(void **state)
{
	(void)state;
	memset(&page, 0, sizeof(page));
	page.index = 3;
	page.offset = 5000;
	page.pmc_width = 48;
	page.capabilities = 1 << 2 | 1 << 3;
	page.time_shift = 2;
	page.time_mult = 2;
	page.time_enabled = 100;
	page.time_running = 60;
	counter = 77;
	now = 40;
	writes = 0;
	return 0;
}

static void counter_and_offset_are_added(void **state)
{
	struct user_reading r;

	(void)state;
	assert_true(user_read(&page, &fake, &r));
	assert_int_equal(r.value, 5077);
	assert_int_equal(asked, 2);
	/* 40 >> 2 = 10 ticks of 2 ns */
	assert_int_equal(r.time_enabled, 120);
	assert_int_equal(r.time_running, 80);
}

static void the_rest_of_the_clock_counts(void **state)
{
	struct user_reading r;

	(void)state;
	now = 43;                    /* (3 * 2) >> 2 = 1 */
	page.time_offset = 7;
	assert_true(user_read(&page, &fake, &r));
	assert_int_equal(r.time_enabled, 100 + 20 + 1 + 7);
}

static void a_short_clock_wraps(void **state)
{
	uint64_t cycles = 0xfff8, mask = 0xffff;
	struct user_reading r;

	(void)state;
	page.capabilities |= 1 << 5;
	memcpy((char *)&page + 80, &cycles, sizeof(cycles));
	memcpy((char *)&page + 88, &mask, sizeof(mask));
	now = 0x0008;                /* 16 cycles later */
	assert_true(user_read(&page, &fake, &r));
	assert_int_equal(r.time_enabled, 100 + (0xfff8 + 16) / 4 * 2);
}

static void the_counter_is_signed(void **state)
{
	struct user_reading r;

	(void)state;
	counter = (UINT64_C(1) << 48) - 10;
	assert_true(user_read(&page, &fake, &r));
	assert_int_equal(r.value, 4990);
	page.pmc_width = 64;
	counter = UINT64_MAX - 9;
	assert_true(user_read(&page, &fake, &r));
	assert_int_equal(r.value, 4990);
}

static void a_page_that_changes_is_read_again(void **state)
{
	struct user_reading r;

	(void)state;
	writes = 2;
	assert_true(user_read(&page, &fake, &r));
	assert_int_equal(r.value, 7077);
}

static void the_kernel_is_asked_when_the_page_cannot_tell(void **state)
{
	static const struct user_instructions none = { 0 };
	struct user_reading r;

	(void)state;
	assert_false(user_read(&page, &none, &r));
	page.index = 0;              /* not on a counter now */
	assert_false(user_read(&page, &fake, &r));
	page.index = 3;
	page.capabilities = 1 << 3;  /* user space may not */
	assert_false(user_read(&page, &fake, &r));
	page.capabilities = 1 << 2;  /* no clock */
	assert_false(user_read(&page, &fake, &r));
	page.capabilities = 1 << 2 | 1 << 3;
	page.pmc_width = 0;
	assert_false(user_read(&page, &fake, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(counter_and_offset_are_added, set_up),
		cmocka_unit_test_setup(the_rest_of_the_clock_counts, set_up),
		cmocka_unit_test_setup(a_short_clock_wraps, set_up),
		cmocka_unit_test_setup(the_counter_is_signed, set_up),
		cmocka_unit_test_setup(a_page_that_changes_is_read_again, set_up),
		cmocka_unit_test_setup(the_kernel_is_asked_when_the_page_cannot_tell, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
