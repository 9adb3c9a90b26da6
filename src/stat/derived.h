/* SPDX-License-Identifier: MIT */
/* derived.h - a rate, ratio or metric beside a count; the rates have the names that perf 7 has for them */
#ifndef STAT_DERIVED_H
#define STAT_DERIVED_H

#include "stat/metrics.h"

/* The i-th value that is derived from this row; false if there are no so many. */
bool stat_derive(const struct stat_table *t, const struct stat_row *row, size_t key, size_t i,
		 struct stat_derived *out);

/* The i-th rate, by its name as a metric; NULL after the last. */
const struct sonde_stat_metric *stat_rate_at(size_t i);

#endif
