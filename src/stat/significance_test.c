/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/significance.h"

static struct stat_mean mean_of(const double *v, size_t n)
{
	struct stat_mean m = { 0 };

	for (size_t i = 0; i < n; i++)
		stat_mean_add(&m, v[i]);
	return m;
}

static void assert_near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.9f is not %.9f", a, b);
}

static void means_and_errors(void **state)
{
	static const double v[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct stat_mean m = mean_of(v, 8);

	(void)state;
	assert_near(m.mean, 5, 1e-12);
	assert_near(stat_mean_error(&m), sqrt(32.0 / 7 / 8), 1e-12);
	assert_near(stat_mean_deviation(&m), sqrt(32.0 / 7 / 8) / 5, 1e-12);
	m = mean_of(v, 1);
	assert_near(stat_mean_error(&m), 0, 0);
	m = mean_of(v, 0);
	assert_near(stat_mean_deviation(&m), 0, 0);
}

/* By hand: t of one degree of freedom is Cauchy's distribution, of two has a closed form. */
static void probabilities_are_students(void **state)
{
	static const double a[] = { 0, 2 }, b[] = { 3, 5 };
	struct stat_mean x = mean_of(a, 2), y = mean_of(b, 2);
	double t = 3 / sqrt(2);

	(void)state;
	assert_near(welch_probability(&x, &y), 1 - t / sqrt(2 + t * t), 1e-9);
	assert_near(welch_probability(&y, &x), welch_probability(&x, &y), 1e-12);
	assert_near(welch_probability(&x, &x), 1, 1e-9);
}

/* The density of Student's distribution, integrated by Simpson's rule. */
static void many_degrees_of_freedom(void **state)
{
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0,
				    21.7, 21.4 };
	static const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9,
				    30.2, 23.9 };
	struct stat_mean x = mean_of(a, 15), y = mean_of(b, 15);

	(void)state;
	assert_near(welch_probability(&x, &y), 0.008537410, 1e-7);
}

static void what_never_varies(void **state)
{
	static const double a[] = { 5, 5, 5 }, b[] = { 6, 6, 6 };
	struct stat_mean x = mean_of(a, 3), y = mean_of(b, 3), one = mean_of(a, 1);

	(void)state;
	assert_near(welch_probability(&x, &x), 1, 0);
	assert_near(welch_probability(&x, &y), 0, 0);
	assert_near(welch_probability(&one, &y), 1, 0);
}

/* By hand: all 252 orders of 5 and 5, and the normal approximation with ties. */
static void ranks_are_those_of_mann_and_whitney(void **state)
{
	static const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 6, 7, 8, 9, 100 }, c[] = { 1.5, 2.5, 3.5, 4.5, 5.5 },
			    same[] = { 7, 7, 7 }, x[] = { 1, 2, 2, 3 }, y[] = { 2, 3, 3, 4 };
	/* U = 3 of 16; groups of three 2 and three 3 */
	double variance = 16.0 / 12 * (9 - 48.0 / 56), z = (8 - 3 - 0.5) / sqrt(variance);

	(void)state;
	assert_near(rank_probability(a, 5, b, 5), 2.0 / 252, 1e-12);
	assert_near(rank_probability(b, 5, a, 5), 2.0 / 252, 1e-12);
	assert_near(rank_probability(a, 1, b, 1), 1, 1e-12);
	assert_near(rank_probability(a, 2, b, 2), 2.0 / 6, 1e-12);
	assert_near(rank_probability(a, 5, c, 5), 0.69047619, 1e-8);  /* U = 10: 87 of 252 orders */
	assert_near(rank_probability(same, 3, same, 3), 1, 0);
	assert_near(rank_probability(x, 4, y, 4), erfc(z / sqrt(2)), 1e-12);
	assert_near(rank_probability(a, 0, b, 5), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_and_errors),
		cmocka_unit_test(probabilities_are_students),
		cmocka_unit_test(many_degrees_of_freedom),
		cmocka_unit_test(what_never_varies),
		cmocka_unit_test(ranks_are_those_of_mann_and_whitney),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
