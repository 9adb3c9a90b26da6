/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stat/metric_expr.h"

static double value(void *ctx, const char *name)
{
	static const struct {
		const char *name;
		double value;
	} known[] = {
		{ "instructions", 300 }, { "cpu-cycles", 200 }, { "ref.cycles:u", 50 }, { "none", 0 }, { "if_any", 7 },
		{ "software/task-clock,name=x/", 1e9 },
	};

	(void)ctx;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return known[i].value;
	return NAN;
}

static bool has(void *ctx, const char *name)
{
	return !isnan(value(ctx, name));
}

static double literal(void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "num_cpus") ? 4 : NAN;
}

static const struct metric_env env = { value, has, literal, NULL };

static void expressions_have_values(void **state)
{
	static const struct {
		const char *expr;
		double value;
	} rows[] = {
		{ "instructions / cpu\\-cycles", 1.5 }, { "1 + 2 * 3 - 4", 3 }, { "(1 + 2) * 3", 9 }, { "-2 * -3", 6 },
		{ "7 % 4", 3 }, { "1e3 / 2.5e1", 40 }, { ".5 + 1", 1.5 }, { "min(3, max(1, 2))", 2 },
		{ "d_ratio(1, none)", 0 }, { "d_ratio(6, 4)", 1.5 }, { "1 if 2 > 1 else 3", 1 },
		{ "1 if 2 < 1 else 5 if 1 else 6", 5 }, { "#num_cpus * 2", 8 }, { "6 & 3 | 8", 10 }, { "6 ^ 3", 5 },
		{ "has_event(cpu\\-cycles)", 1 }, { "has_event(nope)", 0 }, { "ref.cycles:u", 50 }, { "if_any", 7 },
		{ "software@task\\-clock\\,name\\=x@ / 1e9", 1 }, { "10 / 2 / 5", 1 }, { "8 - 4 - 2", 2 },
		{ "(none if has_event(nope) else 3) + 1", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *bad;
		double v;

		if (!metric_eval(rows[i].expr, &env, &v, &bad))
			fail_msg("%s: wrong at '%s'", rows[i].expr, bad);
		if (!(fabs(v - rows[i].value) < 1e-9))
			fail_msg("%s is %f", rows[i].expr, v);
	}
}

static void unknown_values_stay_unknown(void **state)
{
	static const char *const rows[] = { "nope + 1", "1 / none", "1 % none", "min(nope, 1)", "1 if nope else 2",
					    "nope < 1", "#nope", "1e30 & 1" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *bad;
		double v;

		assert_true(metric_eval(rows[i], &env, &v, &bad));
		assert_true(isnan(v));
	}
}

static void mistakes_have_a_place(void **state)
{
	static const struct {
		const char *expr;
		size_t at;
	} rows[] = {
		{ "", 0 }, { "1 +", 3 }, { "(1", 2 }, { "1 2", 2 }, { "min(1)", 5 }, { "1 if 2", 6 }, { "#", 1 },
		{ "1 }", 2 },
	};
	char deep[1000], name[METRIC_NAME_BYTES + 10];
	const char *bad;
	double v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_false(metric_eval(rows[i].expr, &env, &v, &bad));
		assert_int_equal(bad - rows[i].expr, rows[i].at);
	}
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_false(metric_eval(deep, &env, &v, &bad));
	memset(deep, '-', sizeof(deep) - 1);
	assert_false(metric_eval(deep, &env, &v, &bad));
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_false(metric_eval(name, &env, &v, &bad));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_have_values),
		cmocka_unit_test(unknown_values_stay_unknown),
		cmocka_unit_test(mistakes_have_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
