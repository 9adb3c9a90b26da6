/* SPDX-License-Identifier: MIT */
/* counts.h - from the cells of a counter to the cells of a table. */
#ifndef CLI_STAT_COUNTS_H
#define CLI_STAT_COUNTS_H

#include "cli/stat/table.h"

/* Times of a run that tool events tell, in ns. */
struct stat_times {
	uint64_t elapsed, user, system;
};

/* Makes the keys and cells of the table by the cells of the open counter. 0, or 1 after a message. */
int stat_counts_begin(struct stat_table *t, const struct sonde_counter *c, uint64_t cache_level);

/* The next run of the command counts from 0 again; its cells add to the means. */
void stat_counts_next_run(struct stat_table *t);

enum stat_share {
	STAT_OF_RUN,                 /* adds what was counted since the run began to the means */
	STAT_SINCE_LAST,             /* puts what was counted since the last call in their place */
	STAT_ALL,                    /* puts what was counted since the run began in their place */
};

/* Takes the counts that were read last. @scaled: estimates for the whole time */
void stat_counts_take(struct stat_table *t, const struct sonde_counter *c, const struct stat_times *times,
		      enum stat_share share, bool scaled);

#endif
