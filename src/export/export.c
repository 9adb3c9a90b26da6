/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <string.h>

int export_event(struct export *x)
{
	const struct sonde_profile *p = x->profile;

	for (size_t i = 0; i < p->events.n; i++)
		if (p->events.at[i].samples && (!x->opts.event || strcmp(p->events.at[i].name, x->opts.event) == 0))
			return (int)i;
	if (x->opts.event)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE, "there are no samples of event '%s'", x->opts.event);
	return 0;
}

int export_cells(struct export *x)
{
	const struct sonde_export_opts *o = &x->opts;

	return event_cells_make(&x->cells, x->profile, &(struct cells_wanted){ .tids = o->tids,
									       .nr_tids = o->nr_tids,
									       .comms = o->comms,
									       .nr_comms = o->nr_comms });
}
