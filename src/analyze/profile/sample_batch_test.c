/* SPDX-License-Identifier: MIT */
#include "analyze/profile/sample_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/profile/gathering.h"
#include "model/context_markers.h"

/* Samples for some batches, so that they go to the thread; the last one is not full. */
enum { SAMPLES = 30001, LEAVES = 7, CALLERS = 11, DEEP = 300 };

static struct gathering p;

static void start(unsigned threads)
{
	const struct symbols_opts none = { .cache_dir = "" };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS, .max_stack = DEEP,
						 .timed = true };

	assert_int_equal(gathering_init(&p, &opts, symbols_new(&none)), 0);
	assert_int_equal(profile_begin_trace(&p, NULL), 0);
	p.batches.threads = threads;
}

/* Nothing is mapped: the address is the function. A sample now and then has a chain of hundreds, or none. */
static void give_samples(void)
{
	for (uint64_t i = 0; i < SAMPLES; i++) {
		uint64_t chain[DEEP] = { CONTEXT_USER, 1000 + i % LEAVES, 2000 + i % CALLERS };
		struct profile_sample s = {
			.ip = chain[1], .period = i, .event = (uint32_t)(i % 2), .cpu = -1, .ran_on = (int32_t)(i % 3),
			.time = i / 2, .cpumode = CPUMODE_USER
		};
		struct u64s view = { .p = (const uint8_t *)chain, .nr = i % 100 == 99 ? 0 : 3 };

		if (i % 500 == 1) {
			view.nr = DEEP;
			for (uint64_t k = 3; k < DEEP; k++)
				chain[k] = 3000 + k;
		}
		assert_int_equal(sample_batch_add(&p, &s, &view, NULL), 0);
		memset(chain, 0xff, sizeof(chain));  /* it was copied */
	}
	assert_int_equal(sample_batches_end(&p), 0);
}

static uint64_t addr_of(uint32_t frame)
{
	return p.frames.list.at[frame].addr;
}

static size_t depth(uint32_t stack)
{
	size_t n = 0;

	for (; stack; stack = p.stacks.list.at[stack].parent)
		n++;
	return n;
}

static void test_every_sample_is_counted_where_it_belongs(void **state)
{
	uint64_t samples = 0, period = 0, deep = 0, without = 0;

	(void)state;
	start(2);
	give_samples();
	assert_int_equal(p.frames.list.n, LEAVES + CALLERS + DEEP - 3);
	for (size_t i = 0; i < LEAVES; i++)
		assert_int_equal(addr_of(p.cells.at[i].frame), 1000 + i);  /* numbered as they came */
	for (size_t i = 0; i < p.cells.n; i++) {
		const struct sonde_profile_cell *c = &p.cells.at[i];

		samples += c->samples;
		period += c->period;
		without += c->stack ? 0 : c->samples;
		deep += depth(c->stack) > 2 ? c->samples : 0;
		if (c->stack)
			assert_int_equal(p.stacks.list.at[c->stack].frame, c->frame);
	}
	assert_int_equal(samples, SAMPLES);
	assert_int_equal(period, (uint64_t)SAMPLES * (SAMPLES - 1) / 2);
	assert_int_equal(without, SAMPLES / 100);
	assert_int_equal(deep, SAMPLES / 500);
	gathering_free(&p);
}

static bool is_same(const struct sonde_profile_cell *a, const struct sonde_profile_cell *b)
{
	return a->event == b->event && a->task == b->task && a->frame == b->frame && a->stack == b->stack &&
		a->cpu == b->cpu && a->samples == b->samples && a->period == b->period;
}

static void check_samples(void)
{
	assert_int_equal(p.timed.list.n, SAMPLES);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		const struct sonde_profile_sample *s = &p.timed.list.at[i];

		assert_int_equal(s->time, i / 2);
		assert_int_equal(s->period, i);
		assert_int_equal(s->cpu, i % 3);
		assert_int_equal(p.cells.at[s->cell].event, i % 2);
		if (i % 100 != 99 && i % 500 != 1)
			assert_int_equal(addr_of(p.cells.at[s->cell].frame), 1000 + i % LEAVES);
	}
}

/* The numbers do not depend on how many threads there are and who counts when. */
static void test_numbers_are_the_same_each_time(void **state)
{
	struct sonde_profile_cell *cells;
	size_t n;

	(void)state;
	start(2);
	give_samples();
	check_samples();
	n = p.cells.n;
	cells = malloc(n * sizeof(*cells));
	memcpy(cells, p.cells.at, n * sizeof(*cells));
	gathering_free(&p);
	for (int i = 0; i < 10; i++) {
		start(i % 5);
		give_samples();
		assert_int_equal(p.cells.n, n);
		for (size_t k = 0; k < n; k++)
			assert_true(is_same(&p.cells.at[k], &cells[k]));
		check_samples();
		gathering_free(&p);
	}
	free(cells);
}

static void test_what_was_not_ended_is_freed(void **state)
{
	struct profile_sample s = { .ip = 1, .cpu = -1 };
	struct u64s none = { 0 };

	(void)state;
	start(2);
	for (int i = 0; i < SAMPLES; i++)
		assert_int_equal(sample_batch_add(&p, &s, &none, NULL), 0);
	gathering_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_sample_is_counted_where_it_belongs),
		cmocka_unit_test(test_numbers_are_the_same_each_time),
		cmocka_unit_test(test_what_was_not_ended_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
