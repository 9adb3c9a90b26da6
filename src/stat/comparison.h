/* SPDX-License-Identifier: MIT */
/* comparison.h - whether the runs of two results differ by more than chance */
#ifndef STAT_COMPARISON_H
#define STAT_COMPARISON_H

#include "stat/table.h"
#include "table/table.h"

/* The measurements of the runs. */
struct stat_runs {
	struct stat_mean elapsed, user, system;  /* seconds */
	bool keep;                   /* the values, too */
	VEC(double) values;          /* of each run: its time, then the count of each row for the first key */
};

/* Adds the run that the cells of @t were given last. 0 or -SONDE_NOMEM. */
int stat_runs_add(struct stat_runs *runs, const struct stat_table *t, const struct sonde_stat_times *times);

/* One of the two. */
struct stat_side {
	const struct stat_table *table;
	const struct stat_runs *runs;
};

/* Fills @out with the columns of enum sonde_stat_compare_column. 0 or -SONDE_NOMEM; it is to be released. */
int stat_compare_runs(const struct stat_side *a, const struct stat_side *b, struct sonde_table *out);

#endif
