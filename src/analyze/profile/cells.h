/* SPDX-License-Identifier: MIT */
/* cells.h - the cells of a profile: what samples of the same event, task, stack, function and details add up to */
#ifndef ANALYZE_PROFILE_CELLS_H
#define ANALYZE_PROFILE_CELLS_H

#include "analyze/profile/gathering.h"

/* The number of the cell that is as @key, or of a new one; HASH_INDEX_NONE when out of memory. */
uint32_t cells_find(struct gathering *p, const struct sonde_profile_cell *key);

static inline void cells_add(struct gathering *p, uint32_t number, const struct profile_sample *s)
{
	struct sonde_profile_cell *cell = &p->cells.at[number];

	cell->samples++;
	cell->period += s->period;
	cell->latency += s->latency;
}

/* Cells were left out or have changed: the others get new numbers. No batch is being counted. 0 or -SONDE_NOMEM. */
int cells_number(struct gathering *p);

#endif
