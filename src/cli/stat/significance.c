/* SPDX-License-Identifier: MIT */
#include "cli/stat/significance.h"

#include <math.h>

#define FRACTION_STEPS 300
#define FRACTION_PRECISION 1e-12
#define TINY 1e-300

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
