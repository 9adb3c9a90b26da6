/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "stat/comparison.h"
#include "stat/result.h"

#define NAMES 2
static char keys[NAMES][STAT_KEY_BYTES] = { "CPU0", "CPU1" };

/* A clock and an event of which CPU1 has none, one that is refused, one that is hidden. */
static const struct stat_row rows[] = {
	{ .name = (char[]){ "task-clock" }, .unit = (char[]){ "msec" }, .scale = 1e-6 },
	{ .name = (char[]){ "cs" }, .unit = (char[]){ "" }, .scale = 1 },
	{ .name = (char[]){ "cycles" }, .unit = (char[]){ "" }, .scale = 1, .refused = true },
	{ .name = (char[]){ "llc" }, .unit = (char[]){ "" }, .scale = 1, .hidden = true },
};

static void set(struct stat_cell *c, double value, double running, double enabled)
{
	*c = (struct stat_cell){ .nr = 1 };
	stat_mean_add(&c->value, value);
	stat_mean_add(&c->running, running);
	stat_mean_add(&c->enabled, enabled);
}

static int begin(void **state)
{
	static struct stat_table table;

	table = (struct stat_table){ .by = SONDE_STAT_BY_CPU, .keys = keys, .nr_keys = NAMES, .runs = 1, .seconds = 1,
				     .derived = true };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(vec_push(&table.rows, rows[i]), 0);
		table.rows.at[i].cells = calloc(NAMES, sizeof(struct stat_cell));
	}
	set(&table.rows.at[0].cells[0], 2e9, 3, 3);
	set(&table.rows.at[0].cells[1], 4e9, 1, 3);
	set(&table.rows.at[1].cells[0], 10, 3, 3);
	set(&table.rows.at[1].cells[1], 0, 0, 3);
	*state = &table;
	return 0;
}

static int end(void **state)
{
	struct stat_table *t = *state;

	for (size_t i = 0; i < t->rows.n; i++)
		free(t->rows.at[i].cells);
	vec_free(&t->rows);
	return 0;
}

static const char *text(struct sonde_table *t, size_t row, size_t column)
{
	const struct sonde_table_value *v = table_value(t, row, column);

	return v->known ? v->text : "-";
}

static double real(struct sonde_table *t, size_t row, size_t column)
{
	const struct sonde_table_value *v = table_value(t, row, column);

	return !v->known ? NAN : v->kind == SONDE_TABLE_SHARE ? v->share : v->real;
}

/* ---- tests ---- */

static void events_come_first_and_their_cpus_below(void **state)
{
	static const struct {
		const char *event, *key, *state;
	} expected[] = {
		{ "task-clock", "CPU0", "counted" }, { "task-clock", "CPU1", "counted" }, { "cs", "CPU0", "counted" },
		{ "cs", "CPU1", "not counted" },     { "cycles", "CPU0", "not supported" },
		{ "cycles", "CPU1", "not supported" },
	};
	struct sonde_table t;

	assert_int_equal(stat_result(*state, &t), 0);
	assert_int_equal(t.info.rows, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_string_equal(text(&t, i, SONDE_STAT_EVENT_NAME), expected[i].event);
		assert_string_equal(text(&t, i, SONDE_STAT_KEY), expected[i].key);
		assert_string_equal(text(&t, i, SONDE_STAT_STATE), expected[i].state);
	}
	assert_true(real(&t, 0, SONDE_STAT_VALUE) == 2e9 * 1e-6 && isnan(real(&t, 3, SONDE_STAT_VALUE)));
	assert_true(isnan(real(&t, 4, SONDE_STAT_VALUE)));
	assert_string_equal(text(&t, 0, SONDE_STAT_UNIT), "msec");
	assert_true(real(&t, 0, SONDE_STAT_RUNNING_SHARE) == 100);
	assert_true(fabs(real(&t, 1, SONDE_STAT_RUNNING_SHARE) - 100 / 3.0) < 1e-9);
	assert_true(isnan(real(&t, 0, SONDE_STAT_DEVIATION)));
	assert_string_equal(text(&t, 0, SONDE_STAT_CGROUP), "-");
	table_release(&t);
}

static void cores_come_first_and_their_events_below(void **state)
{
	struct stat_table *counts = *state;
	struct sonde_table t;

	counts->by = SONDE_STAT_BY_CORE;
	assert_int_equal(stat_result(counts, &t), 0);
	assert_string_equal(text(&t, 0, SONDE_STAT_EVENT_NAME), "task-clock");
	assert_string_equal(text(&t, 1, SONDE_STAT_EVENT_NAME), "cs");
	assert_string_equal(text(&t, 2, SONDE_STAT_EVENT_NAME), "cycles");
	assert_string_equal(text(&t, 3, SONDE_STAT_KEY), "CPU1");
	table_release(&t);
}

/* Time that is lost in rounding is not told as all of it. */
static void a_share_is_whole_if_the_times_are_equal(void **state)
{
	struct stat_table *counts = *state;
	struct sonde_table t;

	set(&counts->rows.at[0].cells[0], 1, 9e15 - 1, 9e15);
	set(&counts->rows.at[0].cells[1], 1, 1.1, 1.1);
	assert_int_equal(stat_result(counts, &t), 0);
	assert_true(real(&t, 0, SONDE_STAT_RUNNING_SHARE) < 100);
	assert_true(real(&t, 1, SONDE_STAT_RUNNING_SHARE) == 100);
	table_release(&t);
}

static void runs_and_cgroups_give_all_rows_a_value(void **state)
{
	struct stat_table *counts = *state;
	struct sonde_table t;

	counts->runs = 2;
	counts->rows.at[1].cgroup = "web";
	stat_mean_add(&counts->rows.at[1].cells[0].value, 30);
	assert_int_equal(stat_result(counts, &t), 0);
	assert_string_equal(text(&t, 0, SONDE_STAT_CGROUP), "");
	assert_string_equal(text(&t, 2, SONDE_STAT_CGROUP), "web");
	assert_true(real(&t, 2, SONDE_STAT_DEVIATION) == 50 && real(&t, 3, SONDE_STAT_DEVIATION) == 0);
	table_release(&t);
}

static void threads_that_did_not_run_have_no_row(void **state)
{
	struct stat_table *counts = *state;
	struct sonde_table t;

	counts->by = SONDE_STAT_BY_THREAD;
	assert_int_equal(stat_result(counts, &t), 0);
	assert_int_equal(t.info.rows, 3);
	table_release(&t);
}

static void metrics_stand_beside_counts_and_alone(void **state)
{
	struct stat_table *counts = *state;
	struct sonde_table t;

	assert_int_equal(stat_result(counts, &t), 0);
	assert_string_equal(text(&t, 2, SONDE_STAT_METRIC_NAME), "cs_per_second");
	assert_string_equal(text(&t, 2, SONDE_STAT_METRIC_UNIT), "cs/sec");
	assert_true(real(&t, 2, SONDE_STAT_METRIC_VALUE) == 5);
	assert_string_equal(text(&t, 3, SONDE_STAT_METRIC_NAME), "cs_per_second");
	assert_true(isnan(real(&t, 3, SONDE_STAT_METRIC_VALUE)));
	table_release(&t);
	counts->derived = false;
	assert_int_equal(stat_result_metrics(counts, &t), 0);
	assert_int_equal(t.info.rows, NAMES);
	assert_string_equal(text(&t, 1, SONDE_STAT_KEY), "CPU1");
	assert_string_equal(text(&t, 1, SONDE_STAT_METRIC_NAME), "-");
	table_release(&t);
}

static void runs_are_compared_row_by_row(void **state)
{
	const struct sonde_stat_times fast = { .elapsed = 1000000 }, slow = { .elapsed = 3000000 };
	struct stat_runs a = { .keep = true }, b = { .keep = true };
	struct stat_table *counts = *state;
	const struct stat_side first = { counts, &a }, second = { counts, &b };
	struct sonde_table t;

	for (int i = 0; i < 5; i++) {
		assert_int_equal(stat_runs_add(&a, counts, &fast), 0);
		assert_int_equal(stat_runs_add(&b, counts, &slow), 0);
	}
	assert_int_equal(stat_compare_runs(&first, &second, &t), 0);
	assert_int_equal(t.info.rows, 3);
	assert_string_equal(text(&t, 0, SONDE_STAT_MEASURE), "elapsed time");
	assert_true(real(&t, 0, SONDE_STAT_FIRST) == 1 && real(&t, 0, SONDE_STAT_SECOND) == 3);
	assert_true(real(&t, 0, SONDE_STAT_CHANCE) == 0 && real(&t, 0, SONDE_STAT_CHANCE_BY_RANKS) < 0.02);
	assert_string_equal(text(&t, 2, SONDE_STAT_MEASURE), "cs");
	assert_true(real(&t, 2, SONDE_STAT_CHANCE) == 1 && real(&t, 2, SONDE_STAT_CHANCE_BY_RANKS) == 1);
	table_release(&t);
	vec_free(&a.values);
	vec_free(&b.values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_come_first_and_their_cpus_below, begin, end),
		cmocka_unit_test_setup_teardown(cores_come_first_and_their_events_below, begin, end),
		cmocka_unit_test_setup_teardown(a_share_is_whole_if_the_times_are_equal, begin, end),
		cmocka_unit_test_setup_teardown(runs_and_cgroups_give_all_rows_a_value, begin, end),
		cmocka_unit_test_setup_teardown(threads_that_did_not_run_have_no_row, begin, end),
		cmocka_unit_test_setup_teardown(metrics_stand_beside_counts_and_alone, begin, end),
		cmocka_unit_test_setup_teardown(runs_are_compared_row_by_row, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
