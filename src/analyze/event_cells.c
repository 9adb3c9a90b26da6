/* SPDX-License-Identifier: MIT */
#include "analyze/event_cells.h"

#include <stdlib.h>

int event_cells_make(struct event_cells *e, const struct sonde_profile *p)
{
	size_t nr_events = p->events.n;

	e->cells = malloc((p->cells.n + 1) * sizeof(*e->cells));
	e->first = calloc(nr_events + 2, sizeof(*e->first));
	if (!e->cells || !e->first)
		return -SONDE_NOMEM;
	/* counted two places further on, so that the entries are where they belong once all cells have been placed */
	for (size_t i = 0; i < p->cells.n; i++)
		e->first[p->cells.at[i].event + 2]++;
	for (size_t i = 2; i < nr_events + 2; i++)
		e->first[i] += e->first[i - 1];
	for (uint32_t i = 0; i < p->cells.n; i++)
		e->cells[e->first[p->cells.at[i].event + 1]++] = i;
	return 0;
}

void event_cells_free(struct event_cells *e)
{
	free(e->cells);
	free(e->first);
}
