/* SPDX-License-Identifier: MIT */
/* result.h - counts as a typed table, in the order of perf stat */
#ifndef STAT_RESULT_H
#define STAT_RESULT_H

#include "stat/table.h"
#include "table/table.h"

/*
 * Fills @out with the columns of enum sonde_stat_column: a row for each count, with its metrics; or for each metric.
 * 0 or -SONDE_NOMEM; @out is to be released in both cases.
 */
int stat_result(const struct stat_table *t, struct sonde_table *out);
int stat_result_metrics(const struct stat_table *t, struct sonde_table *out);

#endif
