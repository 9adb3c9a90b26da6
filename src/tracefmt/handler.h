/* SPDX-License-Identifier: MIT */
/*
 * handler.h - the tracepoints that a view takes, with the fields that it asks for
 *
 *	static const struct tracepoint_handler handlers[] = {
 *		{ "sched:sched_switch", { "prev_pid", "next_pid" }, .take = take_switch },
 *		{ 0 },
 *	};
 *
 * A handler and its fields are found by name once for each event of the evlist, of a trace of either format; from then
 * on a value is one load from the raw bytes of a sample. A field that this kernel does not have reads as 0 or as
 * nothing. An event without the first field, or that was sampled (a period above 1, or a frequency), has no handler:
 * what is told by a part of the events would be wrong.
 */
#ifndef TRACEFMT_HANDLER_H
#define TRACEFMT_HANDLER_H

#include <sonde/event.h>

#include "base/vec.h"
#include "tracefmt/tracefmt.h"

enum { HANDLER_FIELDS_MOST = 8 };

struct handled_event;

struct tracepoint_handler {
	const char *event;           /* "sched:sched_switch" */
	const char *fields[HANDLER_FIELDS_MOST];
	int kind;                    /* for the one who takes it */
	/* Takes a sample. 0 or -SONDE_NOMEM. NULL: the one who asks looks at the kind. */
	int (*take)(void *state, const struct sonde_event *ev, const struct handled_event *e);
};

/* An event of the evlist with its handler. */
struct handled_source {
	bool known;
	const struct tracepoint_handler *handler;    /* NULL: it has none */
	const struct tracefmt_event *format;
	const struct sonde_tracepoint_field *fields[HANDLER_FIELDS_MOST];
};

/* A sample with its fields. */
struct handled_event {
	const struct handled_source *source;
	struct sonde_bytes raw;
};

/* Of one trace. Begins as { .rows = handlers }. */
struct handlers {
	const struct tracepoint_handler *rows;       /* ends with a row of zeros; NULL: none */
	VEC(struct handled_source) sources;          /* by index of the evsel */
};

/* The row for an event, NULL: none. @format: of its tracepoint; NULL: it is none, or not described. */
const struct tracepoint_handler *handler_of(const struct tracepoint_handler *rows, const struct sonde_evsel *evsel,
					    const struct tracefmt_event *format);

/* The event with its handler, which is looked for once. A view until the next call; NULL when out of memory. */
struct handled_source *handlers_source(struct handlers *h, const struct sonde_evsel *evsel,
				       const struct tracefmt_event *format);

void handlers_free(struct handlers *h);

/* @field: its place in the row */
uint64_t handled_number(const struct handled_event *e, size_t field);
struct sonde_str handled_text(const struct handled_event *e, size_t field);

#endif
