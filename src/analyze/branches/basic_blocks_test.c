/* SPDX-License-Identifier: MIT */
#include "analyze/branches/basic_blocks.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/annotate/function_ipc.h"
#include "base/bytes.h"

enum { A = 0x1000, B = 0x2000, PREDICTED = 2 };

struct taken_branch { uint64_t from, to, flags; };

#define CYCLES(n) ((uint64_t)(n) << 4)

static struct binary first = { .index = 0, .kind = BINARY_KSYMBOL, .name = "first" };
static struct binary second = { .index = 1, .kind = BINARY_KSYMBOL, .name = "second" };
static struct maps_pool pool;
static struct task_roots roots;
static struct symbols *symbols;
static struct basic_blocks blocks;

static int begin(void **state)
{
	const struct symbols_opts none = { .cache_dir = "" };
	const struct mapping maps[] = { { .start = A, .end = B, .binary = &first },
					{ .start = B, .end = B + A, .binary = &second } };

	(void)state;
	pool = (struct maps_pool){ 0 };
	roots = (struct task_roots){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		assert_int_equal(maps_insert(&pool, roots.user, &maps[i], &roots.user), 0);
	symbols = symbols_new(&none);
	blocks = (struct basic_blocks){ 0 };
	return symbols ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	basic_blocks_free(&blocks);
	symbols_free(symbols);
	maps_pool_free(&pool);
	return 0;
}

static void take(const struct taken_branch *at, size_t n, uint64_t branch_sample_type)
{
	struct taken_branch host[8]; /* as a recorder of this host writes them */
	const struct branches branches = { .nr = n, .entries = (const uint8_t *)host };
	const struct sonde_attr attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
					 .branch_sample_type = branch_sample_type };

	for (size_t i = 0; i < n; i++) {
		host[i] = at[i];
		if (host_is_big_endian())
			host[i].flags = sample_branch_flags(at[i].flags, false);
	}
	assert_true(basic_blocks_expected(&attr));
	assert_int_equal(basic_blocks_take(&blocks, symbols, &roots, &branches, &attr), 0);
}

/* Newest first: the start of a block is in the entry behind it. */
static const struct taken_branch loop[] = {
	{ A + 0x20, A, CYCLES(10) | PREDICTED },
	{ A + 0x20, A + 8, CYCLES(4) },
	{ B + 0x10, A + 0x10, CYCLES(7) },
};

static void test_blocks_lie_between_branches(void **state)
{
	const struct block_end *ends;
	size_t n;

	(void)state;
	for (int i = 0; i < 3; i++)
		take(loop, ARRAY_SIZE(loop), PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(blocks.list.n, 3);
	assert_int_equal(blocks.cycles, 3 * 21);
	assert_int_equal(blocks.list.at[0].start, 8);
	assert_int_equal(blocks.list.at[0].end, 0x20);
	assert_int_equal(blocks.list.at[0].runs, 3);
	assert_int_equal(blocks.list.at[0].predicted, 3);
	assert_int_equal(blocks.list.at[1].start, 0x10);
	assert_int_equal(blocks.list.at[1].predicted, 0);
	assert_ptr_equal(blocks.list.at[2].function.binary, &second);
	assert_true(blocks.list.at[2].start == NO_BLOCK_START);

	assert_int_equal(basic_blocks_ends(&blocks, NULL, &ends, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(ends[0].end, 0x20);
	assert_int_equal(ends[0].start, 8);
	assert_int_equal(ends[0].timed, 6);
	assert_int_equal(ends[0].cycles, 3 * 14);
	assert_int_equal(ends[0].longest_timed, 3);
	assert_int_equal(ends[0].longest_cycles, 3 * 10);
	assert_int_equal(ends[0].min_cycles, 4);
	assert_int_equal(ends[0].max_cycles, 10);
	assert_ptr_equal(ends[1].function.binary, &second);
	assert_int_equal(ends[1].cycles, 3 * 7);

	/* a list that was made is made anew after more samples */
	take(loop, 1, PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(basic_blocks_ends(&blocks, NULL, &ends, &n), 0);
	assert_int_equal(ends[0].timed, 7);
	assert_int_equal(ends[0].longest_timed, 3);
}

static void test_blocks_without_a_start(void **state)
{
	static const struct taken_branch jumps[] = {
		{ A + 0x20, A, CYCLES(1) },
		{ A + 0x30, B, CYCLES(1) },      /* to another function */
		{ A + 0x40, A + 0x38, CYCLES(1) },       /* the next ones begin behind their ends */
		{ A + 0x50, A + 0x48, CYCLES(1) },
		{ 0x10, A + 0x60, CYCLES(1) },   /* from where nothing is mapped */
	};

	(void)state;
	take(jumps, ARRAY_SIZE(jumps), PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(blocks.list.n, 4);
	assert_int_equal(blocks.cycles, 5);
	for (size_t i = 0; i < blocks.list.n; i++)
		assert_true(blocks.list.at[i].start == NO_BLOCK_START);
	/* branches of other kinds may lie between two that were recorded */
	take(loop, ARRAY_SIZE(loop), PERF_SAMPLE_BRANCH_ANY_CALL);
	for (size_t i = 0; i < blocks.list.n; i++)
		assert_true(blocks.list.at[i].start == NO_BLOCK_START);
}

static void test_cycles_that_were_not_recorded(void **state)
{
	struct taken_branch untimed[ARRAY_SIZE(loop)];
	const struct sonde_attr call_stack = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
					       .branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK };
	const struct block_end *ends;
	size_t n;

	(void)state;
	memcpy(untimed, loop, sizeof(loop));
	untimed[0].flags = 0;
	take(untimed, ARRAY_SIZE(untimed), PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(blocks.list.n, 3);
	assert_int_equal(blocks.cycles, 0);
	assert_int_equal(basic_blocks_ends(&blocks, NULL, &ends, &n), 0);
	assert_int_equal(n, 0);
	assert_false(basic_blocks_expected(&call_stack));
	assert_false(basic_blocks_expected(NULL));
}

/* A block that is its branch alone has a start, but no length. */
static void test_blocks_of_one_instruction(void **state)
{
	static const struct taken_branch jumps[] = {
		{ A + 0x20, A, CYCLES(6) },
		{ A + 0x20, A + 0x20, CYCLES(4) },
	};
	const struct block_end *ends;
	size_t n;

	(void)state;
	take(jumps, ARRAY_SIZE(jumps), PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(blocks.list.n, 2);
	assert_int_equal(blocks.list.at[0].start, 0x20);
	assert_int_equal(basic_blocks_ends(&blocks, NULL, &ends, &n), 0);
	assert_int_equal(n, 1);
	assert_true(ends[0].start == NO_BLOCK_START);
	assert_int_equal(ends[0].longest_timed, 2);
	assert_int_equal(ends[0].longest_cycles, 10);
}

/* BPF programs have no symbol table: each is a function of its own. */
static void test_functions_without_a_table(void **state)
{
	struct sonde_profile p = { 0 };
	const struct frame of_second = { .binary = &second, .symbol = SYMTAB_NONE };
	const struct frame nowhere = { .symbol = SYMTAB_NONE };

	(void)state;
	take(loop, ARRAY_SIZE(loop), PERF_SAMPLE_BRANCH_ANY);
	p.blocks = blocks;
	assert_int_equal(sonde_profile_find_ipc(&p), 0);
	assert_int_equal(p.ipc.n, 2);
	assert_ptr_equal(function_ipc_of(&p, &of_second).function.binary, &second);
	assert_null(function_ipc_of(&p, &nowhere).function.binary);
	vec_free(&p.ipc);
	blocks = p.blocks;
}

/* The same addresses are other functions in another trace. */
static void test_another_trace(void **state)
{
	(void)state;
	take(loop, 1, PERF_SAMPLE_BRANCH_ANY);
	basic_blocks_restart(&blocks);
	first.kind = BINARY_OTHER;
	take(loop, 1, PERF_SAMPLE_BRANCH_ANY);
	first.kind = BINARY_KSYMBOL;
	assert_int_equal(blocks.list.n, 1);
	assert_int_equal(blocks.list.at[0].runs, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_blocks_lie_between_branches, begin, end),
		cmocka_unit_test_setup_teardown(test_blocks_without_a_start, begin, end),
		cmocka_unit_test_setup_teardown(test_cycles_that_were_not_recorded, begin, end),
		cmocka_unit_test_setup_teardown(test_blocks_of_one_instruction, begin, end),
		cmocka_unit_test_setup_teardown(test_functions_without_a_table, begin, end),
		cmocka_unit_test_setup_teardown(test_another_trace, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
