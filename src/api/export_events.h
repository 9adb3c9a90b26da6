/* SPDX-License-Identifier: MIT */
/* export_events.h - the formats of exports of events */
#ifndef API_EXPORT_EVENTS_H
#define API_EXPORT_EVENTS_H

#include "export/events/event_rows.h"

/* The i-th format, NULL beyond the last. */
const struct sonde_export_format *export_events_format_at(size_t i);

/*
 * Walks through the events of a trace, which @write gets, with @target. Returns the failure, 1, or 0 if no sample was
 * wanted.
 */
int export_events_walk(struct sonde_trace *t, const struct sonde_export_opts *opts,
		       int (*write)(struct event_rows *e), void *target, struct sonde_error *err);

#endif
