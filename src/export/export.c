/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/opts.h"

int export_take_opts(struct export *x, const struct sonde_export_opts *opts)
{
	int r = OPTS_TAKE(sonde_export_opts, &x->opts, opts, x->err);

	if (r == 0)
		r = OPTS_TAKE(sonde_report_opts, &x->report, x->opts.report, x->err);
	if (r == 0)
		r = OPTS_TAKE(sonde_page_opts, &x->page, x->opts.page, x->err);
	return r < 0 ? r : OPTS_TAKE(sonde_fleet_opts, &x->fleet, x->opts.fleet, x->err);
}

bool export_names_event(const struct export *x)
{
	return x->opts.event || x->opts.event_number;
}

bool export_wants_event(const struct export *x, size_t i)
{
	const struct sonde_profile_event *e = &x->profile->events.at[i];

	if (!e->samples)
		return false;
	if (x->opts.event_number)
		return i == x->opts.event_number - 1;
	return !x->opts.event || strcmp(e->name, x->opts.event) == 0;
}

int export_event(struct export *x)
{
	for (size_t i = 0; i < x->profile->events.n; i++)
		if (export_wants_event(x, i))
			return (int)i;
	if (x->opts.event_number)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE, "there are no samples of event %u",
			       x->opts.event_number);
	if (x->opts.event)
		return err_set(x->err, SONDE_USAGE, SONDE_NONE, "there are no samples of event '%s'", x->opts.event);
	return 0;
}

void export_note(const struct export *x, const char *format, ...)
{
	char text[512];
	va_list ap;

	if (!x->opts.noted)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	x->opts.noted(x->opts.noted_ctx, text);
}

int export_cells(struct export *x)
{
	const struct sonde_export_opts *o = &x->opts;

	return event_cells_make(&x->cells, x->profile, &(struct cells_wanted){ .tids = o->tids,
									       .nr_tids = o->nr_tids,
									       .comms = o->comms,
									       .nr_comms = o->nr_comms });
}
