/* SPDX-License-Identifier: MIT */
/* significance.h - whether two rows of measurements differ by more than chance. */
#ifndef CLI_SIGNIFICANCE_H
#define CLI_SIGNIFICANCE_H

#include "cli/stat/table.h"

/*
 * Welch's t-test: the probability that two populations of the same mean give samples whose means are as far apart as
 * these, whatever their variances. 1 if there are fewer than two measurements of one.
 */
double welch_probability(const struct stat_mean *a, const struct stat_mean *b);

#endif
