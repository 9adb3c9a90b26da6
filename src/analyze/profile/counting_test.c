/* SPDX-License-Identifier: MIT */
#include "analyze/profile/counting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "symbol/symbols.h"

/* The way of counting a trace, whose state @change may alter after it has begun. */
static enum counting way_of(struct sonde_profile_opts opts, bool walks_again, void (*change)(struct gathering *g))
{
	const struct symbols_opts none = { .cache_dir = "" };
	struct gathering g;
	enum counting way;

	opts.sz = sizeof(opts);
	assert_int_equal(gathering_init(&g, &opts, symbols_new(&none)), 0);
	assert_int_equal(profile_begin_trace(&g, NULL), 0);
	if (change)
		change(&g);
	way = counting_choose(&g, walks_again);
	assert_int_equal(counting_takes_heads(&g), way != COUNT_BY_EVENTS && !g.moment.tasks.nr_dumps);
	gathering_free(&g);
	return way;
}

static void test_sums_for_addresses_of_any_task(void **state)
{
	(void)state;
	assert_int_equal(way_of((struct sonde_profile_opts){ .any_task = true }, true, NULL), COUNT_BY_SUMS);
	assert_int_equal(way_of((struct sonde_profile_opts){ .any_task = true, .by = SONDE_BY_SYMBOL_OFFSET }, true,
				NULL), COUNT_BY_SUMS);
}

static void test_heads_where_sums_do_not_see_enough(void **state)
{
	static const struct sonde_profile_opts asks[] = {
		{ .any_task = false },
		{ .any_task = true, .mode = SONDE_PROFILE_STACKS },
		{ .any_task = true, .by = SONDE_BY_CPU },
		{ .any_task = true, .timed = true },
		{ .any_task = true, .tracks = true },
		{ .any_task = true, .named_only = true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		assert_int_equal(way_of(asks[i], true, NULL), COUNT_BY_HEADS);
	/* sums that give up need a second walk */
	assert_int_equal(way_of((struct sonde_profile_opts){ .any_task = true }, false, NULL), COUNT_BY_HEADS);
}

static void test_events_where_fields_are_asked_for(void **state)
{
	static const int32_t one[] = { 1 };
	static const char *const comms[] = { "a" };
	static const struct sonde_profile_opts asks[] = {
		{ .any_task = true, .by = SONDE_BY_ADDR },
		{ .any_task = true, .mode = SONDE_PROFILE_BRANCHES },
		{ .any_task = true, .mode = SONDE_PROFILE_BRANCH_HISTORY },
		{ .any_task = true, .weights = true },
		{ .any_task = true, .stitch_lbr = true },
		{ .any_task = true, .sockets = one, .nr_sockets = 1 },
		{ .any_task = true, .pids = one, .nr_pids = 1 },
		{ .any_task = true, .comms = comms, .nr_comms = 1 },
		{ .any_task = true, .parallelism = one, .nr_parallelism = 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		assert_int_equal(way_of(asks[i], true, NULL), COUNT_BY_EVENTS);
}

static void expect_switches(struct gathering *g)
{
	g->parallelism.known = true;
}

static void expect_tracepoints(struct gathering *g)
{
	g->trace.tracks_need_events = true;
}

static void map_a_jitdump(struct gathering *g)
{
	g->moment.tasks.nr_dumps = 1;
}

static void test_the_trace_decides_too(void **state)
{
	const struct sonde_profile_opts opts = { .any_task = true };

	(void)state;
	assert_int_equal(way_of(opts, true, expect_switches), COUNT_BY_EVENTS);
	assert_int_equal(way_of(opts, true, expect_tracepoints), COUNT_BY_EVENTS);
	assert_int_equal(way_of(opts, true, map_a_jitdump), COUNT_BY_SUMS);  /* its heads are looked at as events */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_for_addresses_of_any_task),
		cmocka_unit_test(test_heads_where_sums_do_not_see_enough),
		cmocka_unit_test(test_events_where_fields_are_asked_for),
		cmocka_unit_test(test_the_trace_decides_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
