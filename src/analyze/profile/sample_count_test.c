/* SPDX-License-Identifier: MIT */
#include "analyze/profile/sample_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/profile/cells.h"
#include "model/context_markers.h"

static struct gathering p;
static const struct u64s no_chain;

static void start(enum sonde_profile_mode mode)
{
	const struct symbols_opts none = { .cache_dir = "" };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = mode, .max_stack = 1000 };

	assert_int_equal(gathering_init(&p, &opts, symbols_new(&none)), 0);
	assert_int_equal(profile_begin_trace(&p, NULL), 0);
}

/* One address again and again, each time with something else that has a cell of its own. */
static void test_a_cell_has_one_event_task_cpu_and_mode(void **state)
{
	static const struct profile_sample samples[] = {
		{ .ip = 1, .cpu = 0, .cpumode = CPUMODE_USER },
		{ .ip = 1, .cpu = 1, .cpumode = CPUMODE_USER },
		{ .ip = 1, .cpu = 0, .cpumode = CPUMODE_USER, .task = 1 },
		{ .ip = 1, .cpu = 0, .cpumode = CPUMODE_USER, .event = 1 },
		{ .ip = 1, .cpu = 0, .cpumode = CPUMODE_USER, .detail = 1 },
		{ .ip = 1, .cpu = 0, .cpumode = CPUMODE_HYPERVISOR },
		{ .ip = 2, .cpu = 0, .cpumode = CPUMODE_USER },
	};
	const size_t n = sizeof(samples) / sizeof(samples[0]);

	(void)state;
	start(SONDE_PROFILE_FUNCTIONS);
	for (size_t i = 0; i < 10 * n; i++)
		assert_int_equal(sample_count(&p, &samples[i % n], &no_chain), 0);
	for (size_t i = 0; i < 5 * n; i++)
		assert_int_equal(sample_count(&p, &samples[i / 5], &no_chain), 0);
	assert_int_equal(p.cells.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(p.cells.at[i].samples, 15);
		assert_int_equal(p.cells.at[i].task, samples[i].task);
		assert_int_equal(p.cells.at[i].event, samples[i].event);
		assert_int_equal(p.cells.at[i].cpu, samples[i].cpu);
		assert_int_equal(p.cells.at[i].detail, samples[i].detail);
		assert_int_equal(p.frames.list.at[p.cells.at[i].frame].addr, samples[i].ip);
	}
	gathering_free(&p);
}

static void test_a_cell_with_another_number_is_found_again(void **state)
{
	struct profile_sample gone = { .ip = 1, .cpu = -1 }, kept = { .ip = 2, .cpu = -1 };

	(void)state;
	start(SONDE_PROFILE_FUNCTIONS);
	for (int i = 0; i < 3; i++)
		assert_int_equal(sample_count(&p, i ? &kept : &gone, &no_chain), 0);
	p.cells.at[0] = p.cells.at[--p.cells.n];
	assert_int_equal(cells_number(&p), 0);
	assert_int_equal(sample_count(&p, &kept, &no_chain), 0);
	assert_int_equal(sample_count(&p, &gone, &no_chain), 0);
	assert_int_equal(p.cells.n, 2);
	assert_int_equal(p.cells.at[0].samples, 3);
	assert_int_equal(p.cells.at[1].samples, 1);
	gathering_free(&p);
}

/* Nothing is mapped: the address is the function, 0 is the innermost. */
static void give(const uint64_t *functions, uint64_t n)
{
	static uint64_t chain[1001] = { CONTEXT_USER };
	struct profile_sample s = { .ip = functions[0], .cpu = -1, .cpumode = CPUMODE_USER };

	memcpy(chain + 1, functions, n * sizeof(*functions));
	assert_int_equal(sample_count(&p, &s, &(struct u64s){ (const uint8_t *)chain, n + 1, false }), 0);
	memset(chain + 1, 0xff, n * sizeof(*functions));  /* it was copied */
}

static void assert_stack_is(uint32_t stack, const uint64_t *functions, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++, stack = p.stacks.list.at[stack].parent)
		assert_int_equal(p.frames.list.at[p.stacks.list.at[stack].frame].addr, functions[i]);
	assert_int_equal(stack, 0);
}

/* Many stacks, which differ in one function or in length only; each comes again after all others. */
static void test_stacks_are_told_apart_by_every_address(void **state)
{
	enum { ROUNDS = 3, DEPTHS = 20, KINDS = 1000 };
	uint64_t functions[DEPTHS];
	size_t n = 0;

	(void)state;
	start(SONDE_PROFILE_STACKS);
	for (int round = 0; round < ROUNDS; round++)
		for (uint64_t depth = 1; depth <= DEPTHS; depth++)
			for (uint64_t kind = 0; kind < KINDS; kind++) {
				for (uint64_t i = 0; i < depth; i++)
					functions[i] = 1 + i;
				functions[kind % depth] = 100 + kind;
				give(functions, depth);
			}
	assert_int_equal(p.cells.n, DEPTHS * KINDS);
	for (uint64_t depth = 1; depth <= DEPTHS; depth++)
		for (uint64_t kind = 0; kind < KINDS; kind++, n++) {
			for (uint64_t i = 0; i < depth; i++)
				functions[i] = 1 + i;
			functions[kind % depth] = 100 + kind;
			assert_int_equal(p.cells.at[n].samples, ROUNDS);
			assert_stack_is(p.cells.at[n].stack, functions, depth);
		}
	gathering_free(&p);
}

/* Such a stack is not remembered. */
static void test_a_very_long_stack_is_counted(void **state)
{
	uint64_t functions[1000];

	(void)state;
	start(SONDE_PROFILE_STACKS);
	for (uint64_t i = 0; i < 1000; i++)
		functions[i] = 1 + i;
	for (int i = 0; i < 3; i++)
		give(functions, 1000);
	assert_int_equal(p.cells.n, 1);
	assert_int_equal(p.cells.at[0].samples, 3);
	assert_stack_is(p.cells.at[0].stack, functions, 1000);
	gathering_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cell_has_one_event_task_cpu_and_mode),
		cmocka_unit_test(test_a_cell_with_another_number_is_found_again),
		cmocka_unit_test(test_stacks_are_told_apart_by_every_address),
		cmocka_unit_test(test_a_very_long_stack_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
