/* SPDX-License-Identifier: MIT */
/* counts.h - from the events and cells of a counter to the rows and cells of a table */
#ifndef STAT_COUNTS_H
#define STAT_COUNTS_H

#include "record/count/counter.h"
#include "stat/table.h"

/*
 * Describes the rows by the events of the open counter, and makes keys and cells by its cells. 0 or a negative code;
 * -SONDE_UNSUPPORTED if it counts none of them.
 */
int stat_counts_begin(struct stat_table *t, const struct sonde_counter *c, struct sonde_error *err);

/* The next run of the command counts from 0 again; its cells add to the means. */
void stat_counts_next_run(struct stat_table *t);

/*
 * Takes the counts that were read last: those since the run began add to the means, or the others take their place.
 * @scaled: estimates for the whole time. 0 or -SONDE_NOMEM.
 */
int stat_counts_take(struct stat_table *t, const struct sonde_counter *c, const struct sonde_stat_times *times,
		     enum sonde_stat_share share, bool scaled);

#endif
