/* SPDX-License-Identifier: MIT */
/* significance.h - whether two rows of measurements differ by more than chance. */
#ifndef STAT_SIGNIFICANCE_H
#define STAT_SIGNIFICANCE_H

#include "stat/table.h"

/*
 * Welch's t-test: the probability that two populations of the same mean give samples whose means are as far apart as
 * these, whatever their variances. 1 if there are fewer than two measurements of one.
 */
double welch_probability(const struct stat_mean *a, const struct stat_mean *b);

/*
 * The rank test of Mann and Whitney: the probability that two equal populations give samples of which one is larger at
 * least as often as here. It asks nothing of the distributions: a few slow runs do not hide a difference. 1 if there is
 * no measurement of one, or no memory.
 */
double rank_probability(const double *a, size_t na, const double *b, size_t nb);

#endif
