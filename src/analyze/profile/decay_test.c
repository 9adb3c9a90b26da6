/* SPDX-License-Identifier: MIT */
#include "analyze/profile/decay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "model/context_markers.h"

static struct gathering p;

static void start(void)
{
	const struct symbols_opts none = { .cache_dir = "" };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS };
	const struct sonde_profile_event event = { .name = "cycles" };
	const struct sonde_profile_task task = { .pid = 1, .tid = 1, .comm = "init" };

	assert_int_equal(gathering_init(&p, &opts, symbols_new(&none)), 0);
	assert_int_equal(profile_begin_trace(&p, NULL), 0);
	assert_int_equal(vec_push(&p.events, event), 0);
	assert_int_equal(vec_push(&p.who, task), 0);
}

/* Nothing is mapped: the address is the function. */
static void give(uint64_t function, uint64_t period)
{
	uint64_t chain[] = { CONTEXT_USER, function, 7 };
	struct u64s view = { .p = (const uint8_t *)chain, .nr = 3 };
	struct profile_sample s = { .ip = function, .period = period, .cpu = -1, .cpumode = CPUMODE_USER };

	assert_int_equal(sample_batch_add(&p, &s, &view, NULL), 0);
	p.events.at[0].samples++;
	p.events.at[0].all_samples++;
	p.events.at[0].period += period;
	p.events.at[0].all_period += period;
}

static uint64_t period_of(uint64_t function)
{
	uint64_t period = 0;

	for (size_t i = 0; i < p.cells.n; i++)
		if (p.frames.list.at[p.cells.at[i].frame].addr == function)
			period += p.cells.at[i].period;
	return period;
}

static void test_all_numbers_fade_alike(void **state)
{
	(void)state;
	start();
	give(1000, 8000);
	give(1000, 8000);
	give(2000, 800);
	assert_int_equal(profile_decay(&p, 7), 0);
	assert_int_equal(period_of(1000), 14000);
	assert_int_equal(period_of(2000), 700);
	assert_int_equal(p.events.at[0].period, 14700);
	assert_int_equal(p.events.at[0].samples, 2);  /* 3 * 7 / 8 */
	gathering_free(&p);
}

static void test_a_cell_that_is_small_is_left_out_and_comes_back(void **state)
{
	(void)state;
	start();
	give(1000, 1 << 30);
	give(2000, 8);
	give(3000, 1 << 30);
	assert_int_equal(profile_decay(&p, 7), 0);
	assert_int_equal(p.cells.n, 2);
	assert_int_equal(period_of(2000), 0);
	give(2000, 5);
	give(3000, 1 << 30);
	assert_int_equal(sample_batches_end(&p), 0);
	assert_int_equal(p.cells.n, 3);
	assert_int_equal(period_of(2000), 5);
	assert_int_equal(period_of(3000), (UINT64_C(1) << 30) / 8 * 15);
	gathering_free(&p);
}

static void test_nothing_is_kept_of_0_eighths(void **state)
{
	(void)state;
	start();
	give(1000, 1000);
	assert_int_equal(profile_decay(&p, 0), 0);
	assert_int_equal(p.cells.n, 0);
	assert_int_equal(p.events.at[0].all_period, 0);
	give(1000, 3);
	assert_int_equal(profile_decay(&p, 8), 0);
	assert_int_equal(period_of(1000), 3);
	gathering_free(&p);
}

static void test_rows_that_no_cell_needs_are_left_out(void **state)
{
	const struct sonde_profile_stack *stack;

	(void)state;
	start();
	for (uint64_t i = 0; i < 20000; i++)
		give(100000 + i, 8);
	give(1000, UINT64_C(1) << 40);
	assert_int_equal(sample_batches_end(&p), 0);
	assert_true(p.stacks.list.n > 20000);
	assert_int_equal(profile_decay(&p, 7), 0);
	assert_int_equal(p.cells.n, 1);
	assert_int_equal(p.frames.list.n, 2);
	assert_int_equal(p.stacks.list.n, 3);
	stack = &p.stacks.list.at[p.cells.at[0].stack];
	assert_int_equal(p.frames.list.at[stack->frame].addr, 1000);
	assert_int_equal(p.frames.list.at[p.stacks.list.at[stack->parent].frame].addr, 7);
	/* the same stack is found again, others are new */
	give(1000, 8);
	give(100000, 8);
	assert_int_equal(sample_batches_end(&p), 0);
	assert_int_equal(p.cells.n, 2);
	assert_int_equal(p.stacks.list.n, 4);
	assert_int_equal(period_of(1000), (UINT64_C(7) << 37) + 8);
	gathering_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_numbers_fade_alike),
		cmocka_unit_test(test_a_cell_that_is_small_is_left_out_and_comes_back),
		cmocka_unit_test(test_nothing_is_kept_of_0_eighths),
		cmocka_unit_test(test_rows_that_no_cell_needs_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
