/* SPDX-License-Identifier: MIT */
/* cells.h - the cells of a profile: what samples of the same event, task, stack, function and details add up to */
#ifndef ANALYZE_CELLS_H
#define ANALYZE_CELLS_H

#include "analyze/profile.h"

/* Adds a sample to the cell that is as @key, or to a new one. 0 or -SONDE_NOMEM. */
int cells_count(struct sonde_profile *p, const struct sonde_profile_cell *key, const struct profile_sample *s);

/* Cells were left out or have changed: the others get new numbers. No batch is being counted. 0 or -SONDE_NOMEM. */
int cells_number(struct sonde_profile *p);

#endif
