/* SPDX-License-Identifier: MIT */
#include "tracedat/format/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "tracedat/format/ids.h"

static struct clock_sample samples[] = { { 1000, 50, 1, 0 }, { 2000, 70, 1, 0 }, { 3000, 60, 1, 0 } };

static struct dat_clock guest(size_t nr, bool interpolate, struct clock_shift *shift)
{
	*shift = (struct clock_shift){ samples, nr };
	return (struct dat_clock){ .shifts = shift, .nr_shifts = 1, .interpolate = interpolate, .adjusts = true };
}

static void test_a_clock_without_options(void **state)
{
	struct dat_clock c = { 0 };

	(void)state;
	assert_int_equal(dat_clock_ns(&c, 0, 12345), 12345);
}

static void test_ticks_and_offsets(void **state)
{
	struct dat_clock c = { .ticks = true, .mult = 827192538, .shift = 31, .adjusts = true };

	(void)state;
	assert_int_equal(dat_clock_ns(&c, 0, UINT64_C(46902656996)), UINT64_C(18066506776));
	/* the product has more than 64 bits */
	assert_int_equal(dat_clock_ns(&c, 0, UINT64_MAX / 2), 3552764898205237247);
	c.date = 5000;
	c.offset = (uint64_t)-1000;
	assert_int_equal(dat_clock_ns(&c, 0, UINT64_C(46902656996)), UINT64_C(18066506776) + 4000);
}

static void test_guests(void **state)
{
	struct clock_shift shift;
	struct dat_clock c = guest(3, true, &shift);

	(void)state;
	assert_int_equal(dat_clock_ns(&c, 0, 1000), 1050);
	assert_int_equal(dat_clock_ns(&c, 0, 1500), 1560);
	assert_int_equal(dat_clock_ns(&c, 0, 2500), 2566);
	assert_int_equal(dat_clock_ns(&c, 0, 500), 541);     /* before the first: as between the first two */
	assert_int_equal(dat_clock_ns(&c, 0, 4000), 4051);
	assert_int_equal(dat_clock_ns(&c, 1, 1500), 1500);   /* a CPU without samples */
	c = guest(3, false, &shift);
	assert_int_equal(dat_clock_ns(&c, 0, 1500), 1550);
	c = guest(1, true, &shift);
	assert_int_equal(dat_clock_ns(&c, 0, 1500), 1550);
	c = guest(0, true, &shift);
	assert_int_equal(dat_clock_ns(&c, 0, 1500), 1500);
}

static void test_scaling_beyond_64_bits(void **state)
{
	struct clock_sample scaled[] = { { 0, 0, INT64_C(3) << 47, 48 }, { 1, 0, INT64_C(3) << 47, 48 } };
	struct clock_shift shift = { scaled, 2 };
	struct dat_clock c = { .shifts = &shift, .nr_shifts = 1, .adjusts = true };

	(void)state;
	assert_int_equal(dat_clock_ns(&c, 0, UINT64_C(8000000000)), UINT64_C(12000000000));
}

static uint64_t *put(uint64_t *p, uint64_t v)
{
	*p = v;
	return p + 1;
}

static void test_the_option_of_guests(void **state)
{
	struct arena arena = { 0 };
	struct dat_clock clock = { 0 };
	uint8_t bytes[20 + 3 * 16 + 16], *p = bytes;
	uint64_t words[9], *w = words;
	uint32_t head[5] = { 0, 0, 1, 1, 2 };
	struct cursor c;

	(void)state;
	w = put(put(w, 2000), 1000);                    /* times, not in order */
	w = put(put(w, (uint64_t)-5), (uint64_t)-7);    /* offsets */
	w = put(put(w, 1), 1);                          /* scalings */
	put(put(w, 3), 4);                              /* fractions */
	memcpy(p, head, sizeof(head));
	memcpy(p + sizeof(head), words, 64);
	c = cur_new(bytes, sizeof(bytes), 0, false, NULL);
	assert_int_equal(dat_clock_take_option(&clock, DAT_OPTION_TIME_SHIFT, &c, &arena), 0);
	assert_true(clock.interpolate && clock.adjusts);
	assert_int_equal(clock.nr_shifts, 1);
	assert_int_equal(clock.shifts[0].nr, 2);
	assert_int_equal(clock.shifts[0].samples[0].time, 1000);
	assert_int_equal(clock.shifts[0].samples[0].offset, -7);
	assert_int_equal(clock.shifts[0].samples[0].fraction, 4);
	for (size_t n = 0; n < sizeof(bytes) - 16; n++) {  /* fractions may be missing */
		memset(&clock, 0, sizeof(clock));
		c = cur_new(bytes, n, 0, false, NULL);
		assert_int_equal(dat_clock_take_option(&clock, DAT_OPTION_TIME_SHIFT, &c, &arena), -SONDE_TRUNCATED);
		assert_false(clock.adjusts);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_clock_without_options),
		cmocka_unit_test(test_ticks_and_offsets),
		cmocka_unit_test(test_guests),
		cmocka_unit_test(test_scaling_beyond_64_bits),
		cmocka_unit_test(test_the_option_of_guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
