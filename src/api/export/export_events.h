/* SPDX-License-Identifier: MIT */
/* export_events.h - the formats of exports of events */
#ifndef API_EXPORT_EXPORT_EVENTS_H
#define API_EXPORT_EXPORT_EVENTS_H

#include "export/events/event_rows.h"

/* The i-th format, NULL beyond the last. */
const struct sonde_export_format *export_events_format_at(size_t i);

/* A walk through the events of a trace that is made step by step: event_rows_next(&w->rows, ...). */
struct events_walk {
	struct event_rows rows;      /* its out, dir, target and err are the caller's */
	struct sonde_trace **traces; /* NULL: it has not begun */
	size_t nr_traces;
	struct row_input *inputs;
	struct sonde_iter *it;
	bool has_runs;               /* given: the exporter asks for runs (export/events/runs.h) */
};

/* 0 or a failure; events_walk_end() also then. @opts: as for sonde_export_events() */
int events_walk_begin(struct events_walk *w, struct sonde_trace *t, const struct sonde_events_opts *opts);

/* @r: the result of the walk. Returns it, or -SONDE_NOMEM. */
int events_walk_end(struct events_walk *w, int r);

/*
 * Walks through the events of a trace, which @write gets, with @target. Returns the failure, 1, or 0 if no sample was
 * wanted.
 */
int export_events_walk(struct sonde_trace *t, const struct sonde_events_opts *opts,
		       int (*write)(struct event_rows *e), void *target, struct sonde_error *err);

#endif
