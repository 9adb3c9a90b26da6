/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/locale_test.h"
#include "stat/derived.h"

static const char file[] =
	"[{\"MetricName\":\"Twice\",\"MetricExpr\":\"2 * page\\\\-faults\",\"MetricGroup\":\"Mem;All\","
	"\"ScaleUnit\":\"1e3faults\"},"
	"{\"MetricName\":\"Half\",\"MetricExpr\":\"Twice / 4.0\",\"MetricGroup\":\"mem\","
	"\"MetricThreshold\":\"Half > 0.5\"},"
	"{\"MetricName\":\"Rate\",\"MetricExpr\":\"page\\\\-faults / duration_time + #target_cpu\","
	"\"MetricGroup\":\"All\"},"
	"{\"MetricName\":\"Unknown\",\"MetricExpr\":\"cycles / page\\\\-faults\"},"
	"{\"MetricName\":\"Wrong\",\"MetricExpr\":\"1 +\"},"
	"{\"MetricName\":\"Own\",\"MetricExpr\":\"Own + 1\"}]";

static struct stat_metrics metrics;
static struct stat_cell cells[2];
static struct stat_row rows[] = {
	{ .name = (char[]){ "page-faults" }, .unit = (char[]){ "" }, .scale = 1, .cells = &cells[0] },
	{ .name = (char[]){ "cycles" }, .unit = (char[]){ "" }, .scale = 1, .cells = &cells[1], .refused = true },
};
static struct stat_table table = { .seconds = 2, .derived = true };
static struct sonde_error err;

static int begin(void **state)
{
	char path[] = "/tmp/sonde-test-XXXXXX.json";
	int fd = mkstemps(path, 5);
	FILE *f = fdopen(fd, "w");

	(void)state;
	fputs(file, f);
	fclose(f);
	assert_int_equal(stat_metrics_load(&metrics, path, &err), 0);
	remove(path);
	cells[0].running.mean = cells[0].enabled.mean = 100;
	cells[0].value.mean = 8;
	table.rows.at = rows;
	table.rows.n = 2;
	table.metrics = &metrics;
	return 0;
}

static int end(void **state)
{
	(void)state;
	stat_metrics_free(&metrics);
	return 0;
}

static void check(const char *name, double value, const char *unit, enum stat_threshold threshold)
{
	struct stat_derived d;

	assert_true(stat_metric_value(&metrics, name, &table, &rows[0], 0, &d));
	if (isnan(value) ? !isnan(d.value) : d.value != value)
		fail_msg("%s is %f", name, d.value);
	assert_string_equal(d.unit, unit);
	assert_int_equal(d.threshold, threshold);
}

static void values_units_and_thresholds(void **state)
{
	struct stat_derived d;

	(void)state;
	check("twice", 16e3, "faults", STAT_NO_THRESHOLD);
	check("half", 4, "", STAT_BAD);
	check("rate", 4, "", STAT_NO_THRESHOLD);
	check("unknown", NAN, "", STAT_NO_THRESHOLD);
	check("own", NAN, "", STAT_NO_THRESHOLD);
	assert_false(stat_metric_value(&metrics, "nothing", &table, &rows[0], 0, &d));
	cells[0].value.mean = 1;
	check("half", 0.5, "", STAT_GOOD);
	metrics.no_thresholds = metrics.of_cpus = true;
	check("half", 0.5, "", STAT_NO_THRESHOLD);
	check("rate", 1.5, "", STAT_NO_THRESHOLD);
	metrics.no_thresholds = metrics.of_cpus = false;
	cells[0].value.mean = 8;
}

/* A number of a file has a point, whatever the program's locale says. */
static void values_in_another_locale(void **state)
{
	(void)state;
	if (!test_locale_set())
		return;
	check("half", 4, "", STAT_BAD);
	check("twice", 16e3, "faults", STAT_NO_THRESHOLD);
	test_locale_reset();
}

static void groups_and_names(void **state)
{
	(void)state;
	assert_string_equal(stat_metric_of_group(&metrics, "MEM", 0), "Half");
	assert_string_equal(stat_metric_of_group(&metrics, "mem", 1), "Twice");
	assert_null(stat_metric_of_group(&metrics, "mem", 2));
	assert_null(stat_metric_of_group(&metrics, "me", 0));
	assert_string_equal(stat_metric_name(&metrics, "RATE"), "Rate");
	assert_null(stat_metric_name(&metrics, "page-faults"));
	for (size_t i = 0; i < 6; i++)
		assert_non_null(stat_metric_at(&metrics, i));
	assert_null(stat_metric_at(&metrics, 6));
}

static void events_that_metrics_need(void **state)
{
	struct stat_names names = { 0 };

	(void)state;
	assert_int_equal(stat_metric_events(&metrics, "half", &names, &err), 0);
	assert_int_equal(stat_metric_events(&metrics, "unknown", &names, &err), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.at[0], "page-faults");
	assert_string_equal(names.at[1], "cycles");
	for (size_t i = 0; i < 2; i++) {
		err_clear(&err);
		assert_int_equal(stat_metric_events(&metrics, i ? "own" : "wrong", &names, &err), -SONDE_CORRUPT);
		assert_non_null(strstr(err.text, i ? "'Own' cannot be read" : "'Wrong' cannot be read"));
	}
	stat_names_free(&names);
}

/* The metrics of the file are told beside a row in their order, then a rate of the library's. */
static void values_beside_a_row(void **state)
{
	struct stat_cell clock_cell = { .value = { .n = 1, .mean = 4e9 }, .running = { .mean = 1 } };
	char name[] = "task-clock:u";
	struct stat_row with_clock[] = { rows[0], { .name = name, .unit = name, .cells = &clock_cell } };
	struct stat_table t = table;
	struct stat_derived d;

	(void)state;
	t.rows.at = with_clock;
	assert_true(stat_derive(&t, &with_clock[0], 0, 0, &d));
	assert_string_equal(d.name, "page_faults_per_second");
	assert_true(d.value == 2);
	assert_false(stat_derive(&t, &with_clock[0], 0, 1, &d));
	assert_int_equal(vec_push(&with_clock[0].metrics, "rate"), 0);
	assert_int_equal(vec_push(&with_clock[0].metrics, "half"), 0);
	assert_true(stat_derive(&t, &with_clock[0], 0, 1, &d) && !strcmp(d.name, "Half"));
	assert_false(stat_derive(&t, &with_clock[0], 0, 2, &d));
	vec_free(&with_clock[0].metrics);
	/* a rate whose other event was not counted */
	clock_cell.running.mean = 0;
	assert_true(stat_derive(&t, &with_clock[0], 0, 0, &d) && isnan(d.value));
	t.only_known = true;
	assert_false(stat_derive(&t, &with_clock[0], 0, 0, &d));
	/* only those that were chosen */
	clock_cell.running.mean = 1;
	assert_int_equal(vec_push(&t.chosen, "CPUs_utilized"), 0);
	assert_false(stat_derive(&t, &with_clock[0], 0, 0, &d));
	assert_true(stat_derive(&t, &with_clock[1], 0, 0, &d) && d.value == 2);
	vec_free(&t.chosen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_units_and_thresholds), cmocka_unit_test(values_in_another_locale),
		cmocka_unit_test(groups_and_names),            cmocka_unit_test(events_that_metrics_need),
		cmocka_unit_test(values_beside_a_row),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
