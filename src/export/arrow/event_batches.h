/* SPDX-License-Identifier: MIT */
/* event_batches.h - the events of a walk as batches of columns: docs/arrow.md */
#ifndef EXPORT_ARROW_EVENT_BATCHES_H
#define EXPORT_ARROW_EVENT_BATCHES_H

#include "export/arrow/column.h"
#include "export/events/event_rows.h"

enum { EVENT_COLUMNS = 13 };

struct event_batches {
	struct event_rows *e;        /* borrowed */
	struct sonde_arrow_opts opts;    /* complete */
	struct arrow_column root, columns[EVENT_COLUMNS], frame;
	struct arrow_column *fields, *elements;  /* of the tracepoint; elements: of the fields that are arrays */
	const struct tracefmt_event *format;     /* of the tracepoint; NULL: there is no column of fields */
	const struct event_row *first;           /* was read before the first batch; NULL: no row was */
	int ended;                   /* 0: no; 1: at the end, or the failure that comes after the last batch */
};

/* 0 or a failure; event_batches_free() also then. @e has been made ready for a walk. */
int event_batches_init(struct event_batches *b, struct event_rows *e, const struct sonde_arrow_opts *opts);
void event_batches_free(struct event_batches *b);

/* The next batch: 1, 0 at the end, or a failure, which comes after the batch of the rows before it. */
int event_batches_next(struct event_batches *b, struct ArrowArray *out);

#endif
