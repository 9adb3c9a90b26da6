/* SPDX-License-Identifier: MIT */
#include "analyze/rows/event_cells.h"

#include <stdlib.h>
#include <string.h>

static bool is_task_wanted(const struct cells_wanted *w, const struct sonde_profile_task *t)
{
	bool tid = w->nr_tids == 0, comm = w->nr_comms == 0;

	for (size_t i = 0; i < w->nr_tids && !tid; i++)
		tid = w->tids[i] == t->tid;
	for (size_t i = 0; i < w->nr_comms && !comm; i++)
		comm = strcmp(w->comms[i], t->comm) == 0;
	return tid && comm;
}

/* By task; NULL: all are wanted, or out of memory. */
static bool *find_wanted_tasks(const struct sonde_profile *p, const struct cells_wanted *w)
{
	bool *wanted = w->nr_tids || w->nr_comms ? malloc(p->who.n + 1) : NULL;

	for (size_t i = 0; wanted && i < p->who.n; i++)
		wanted[i] = is_task_wanted(w, &p->who.at[i]);
	return wanted;
}

int event_cells_make(struct event_cells *e, const struct sonde_profile *p, const struct cells_wanted *w)
{
	size_t nr_events = p->events.n;
	bool *wanted = find_wanted_tasks(p, w);

	e->cells = malloc((p->cells.n + 1) * sizeof(*e->cells));
	e->first = calloc(nr_events + 2, sizeof(*e->first));
	if (!e->cells || !e->first || (!wanted && (w->nr_tids || w->nr_comms))) {
		free(wanted);
		return -SONDE_NOMEM;
	}
	/* counted two places further on, so that the entries are where they belong once all cells have been placed */
	for (size_t i = 0; i < p->cells.n; i++)
		if (!wanted || wanted[p->cells.at[i].task])
			e->first[p->cells.at[i].event + 2]++;
	for (size_t i = 2; i < nr_events + 2; i++)
		e->first[i] += e->first[i - 1];
	for (uint32_t i = 0; i < p->cells.n; i++)
		if (!wanted || wanted[p->cells.at[i].task])
			e->cells[e->first[p->cells.at[i].event + 1]++] = i;
	free(wanted);
	return 0;
}

void event_cells_free(struct event_cells *e)
{
	free(e->cells);
	free(e->first);
}
