/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "insight/analyses.h"
#include "insight/timehist/state.h"
#include "insight/timehist/summary.h"

static const struct sonde_analysis_option *option(const char *name)
{
	for (const struct sonde_analysis_option *o = analysis_at(0)->options; o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	fail_msg("no option %s", name);
	return NULL;
}

static struct sonde_table tables[8];

static void *new_state(const struct analysis_ops *ops)
{
	for (size_t i = 0; ops->tables[i].name; i++)
		table_init(&tables[i], &ops->tables[i]);
	return ops->new(tables);
}

static void free_all(const struct analysis_ops *ops, void *state)
{
	ops->free(state);
	for (size_t i = 0; ops->tables[i].name; i++)
		table_release(&tables[i]);
}

static int set_prios(struct timehist *h, const char *text)
{
	struct sonde_error err = { .sz = sizeof(err) };

	return analysis_at(0)->set(h, option("prio"), text, &err);
}

static bool has_prio(const struct timehist *h, int prio)
{
	return h->opts.prios[prio - PRIO_LOWEST];
}

static void priorities(void **state)
{
	static const char *const bad[] = { "", "x", "1,", ",1", "140", "-2", "5-3", "0-140", "1-", "1-x", "1 2", "--1",
					   "99999999999999999999" };
	struct timehist *h = new_state(analysis_at(0));

	(void)state;
	assert_int_equal(set_prios(h, "-1,0-2,139"), 0);
	assert_true(has_prio(h, -1) && has_prio(h, 0) && has_prio(h, 2) && has_prio(h, 139));
	assert_false(has_prio(h, 3) || has_prio(h, 138));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(set_prios(h, bad[i]), -SONDE_USAGE);
	free_all(analysis_at(0), h);
}

/* The options without a value are flags in the order of their rows. */
static void flags(void **state)
{
	struct timehist *h = new_state(analysis_at(0));
	const struct { const char *name; const bool *flag; } rows[] = {
		{ "wakeups", &h->opts.wakeups }, { "migrations", &h->opts.migrations }, { "next", &h->opts.next },
		{ "cpu-visual", &h->opts.cpu_visual }, { "state", &h->opts.state }, { "show-prio", &h->opts.show_prio },
		{ "call-graph", &h->opts.stacks }, { "idle-hist", &h->opts.idle },
		{ "pre-migrations", &h->opts.pre_migrations },
		{ "summary", &h->opts.summary }, { "with-summary", &h->opts.with_summary },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_false(*rows[i].flag);
		assert_int_equal(analysis_at(0)->set(h, option(rows[i].name), NULL, NULL), 0);
		assert_true(*rows[i].flag);
	}
	free_all(analysis_at(0), h);
}

static void sums(void **state)
{
	static const uint64_t runs[] = { 1000000, 3000000, 5000000, SONDE_NONE };
	struct stay_sums s = { 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		stay_sums_add(&s, &(struct stay){ .run = runs[i], .wait = i ? 100 * i : SONDE_NONE, .delay = i,
						  .waited_as = i == 1 ? "R+" : i == 2 ? "D" : "S" });
	assert_int_equal(s.stays, 4);
	assert_int_equal(s.runs, 3);
	assert_int_equal(s.run, 9000000);
	assert_int_equal(s.shortest, 1000000);
	assert_int_equal(s.longest, 5000000);
	assert_int_equal(s.preempted, 100);
	assert_int_equal(s.blocked, 200);
	assert_int_equal(s.sleep, 300);
	assert_int_equal(s.delay, 6);
	/* the standard deviation is 2 ms, so the error of the mean 2 / sqrt(3) */
	assert_true(fabs(sqrt(s.squares / 2 / 3) - 2000000 / sqrt(3)) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(priorities),
		cmocka_unit_test(flags),
		cmocka_unit_test(sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
