/* SPDX-License-Identifier: MIT */
#include "stat/significance.h"

#include <math.h>
#include <stdlib.h>

#define FRACTION_STEPS 300
#define FRACTION_PRECISION 1e-12
#define TINY 1e-300
#define EXACT_RUNS 20          /* up to so many of each: no approximation */

static double not_zero(double v)
{
	return fabs(v) < TINY ? TINY : v;
}

/* The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and Stegun 26.5.8). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), r = d;

	for (int m = 1; m <= FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		r *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		r *= step;
		if (fabs(step - 1) < FRACTION_PRECISION)
			break;
	}
	return r;
}

/* The regularized incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double welch_probability(const struct stat_mean *a, const struct stat_mean *b)
{
	double va, vb, t, degrees;

	if (a->n < 2 || b->n < 2)
		return 1;
	va = a->squares / (a->n - 1) / a->n;
	vb = b->squares / (b->n - 1) / b->n;
	if (va + vb <= 0)
		return a->mean == b->mean ? 1 : 0;   /* every run gave the same */
	t = (a->mean - b->mean) / sqrt(va + vb);
	degrees = (va + vb) * (va + vb) / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
	/* both tails of Student's distribution */
	return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

/* How often a value of the one is larger than one of the other; a tie is a half. */
static double count_larger(const double *a, size_t na, const double *b, size_t nb, bool *ties)
{
	double u = 0;

	for (size_t i = 0; i < na; i++)
		for (size_t k = 0; k < nb; k++) {
			u += a[i] > b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
			*ties |= a[i] == b[k];
		}
	return u;
}

/*
 * The share of all orders of na + nb values without ties whose count is at most u. ways[n][v] is the number of orders
 * of n values of the one and some of the other with the count v: the largest is of the one and exceeds all of the
 * other, or it is of the other.
 */
static double exact_tail(size_t na, size_t nb, double u)
{
	double ways[EXACT_RUNS + 1][EXACT_RUNS * EXACT_RUNS + 1] = { { 0 } }, sum = 0, all = 0;

	for (size_t n = 0; n <= na; n++)
		ways[n][0] = 1;
	for (size_t k = 1; k <= nb; k++)
		for (size_t n = 1; n <= na; n++)
			for (size_t v = n * k; v >= k; v--)
				ways[n][v] += ways[n - 1][v - k];
	for (size_t v = 0; v <= na * nb; v++) {
		all += ways[na][v];
		sum += (double)v <= u ? ways[na][v] : 0;
	}
	return sum / all;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The sum of t^3 - t over groups of t equal values. */
static double tie_sum(const double *a, size_t na, const double *b, size_t nb)
{
	double *all = malloc((na + nb) * sizeof(*all)), sum = 0;

	for (size_t i = 0; all && i < na + nb; i++)
		all[i] = i < na ? a[i] : b[i - na];
	if (all)
		qsort(all, na + nb, sizeof(*all), by_value);
	for (size_t i = 0, n = 1; all && i < na + nb; i += n) {
		for (n = 1; i + n < na + nb && all[i + n] == all[i];)
			n++;
		sum += (double)n * (double)n * (double)n - (double)n;
	}
	free(all);
	return all ? sum : NAN;
}

double rank_probability(const double *a, size_t na, const double *b, size_t nb)
{
	double n = (double)(na + nb), product = (double)na * (double)nb, u, variance, z;
	bool ties = false;

	if (na == 0 || nb == 0)
		return 1;
	u = count_larger(a, na, b, nb, &ties);
	u = fmin(u, product - u);
	if (!ties && na <= EXACT_RUNS && nb <= EXACT_RUNS)
		return fmin(1, 2 * exact_tail(na, nb, u));
	variance = product / 12 * (n + 1 - tie_sum(a, na, b, nb) / (n * (n - 1)));
	if (!(variance > 0))
		return 1;            /* every run gave the same */
	z = fmax(0, product / 2 - u - 0.5) / sqrt(variance);
	return erfc(z / sqrt(2));
}
