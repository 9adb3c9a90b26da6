/* SPDX-License-Identifier: MIT */
/* event_cells.h - the cells of a profile, those of each event together */
#ifndef ANALYZE_ROWS_EVENT_CELLS_H
#define ANALYZE_ROWS_EVENT_CELLS_H

#include "analyze/tables/profile.h"

/* A search for the cells of each event among all cells takes time in proportion to the product of both. */
struct event_cells {
	uint32_t *cells;             /* numbers of cells, ascending for each event */
	uint32_t *first;             /* by event: the index in `cells` of its first one; one more entry is the end */
};

/* Tasks whose cells are taken; no numbers: all threads, no names: all commands. */
struct cells_wanted {
	const int32_t *tids;         size_t nr_tids;
	const char *const *comms;    size_t nr_comms;
};

/* 0 or -SONDE_NOMEM. To be freed in either case. */
int event_cells_make(struct event_cells *e, const struct sonde_profile *p, const struct cells_wanted *w);

void event_cells_free(struct event_cells *e);

static inline const uint32_t *event_cells_of(const struct event_cells *e, uint32_t event, size_t *n)
{
	*n = e->first[event + 1] - e->first[event];
	return e->cells + e->first[event];
}

#endif
