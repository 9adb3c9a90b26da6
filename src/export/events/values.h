/* SPDX-License-Identifier: MIT */
/* values.h - the fields of an event with their types: those of a tracepoint, or of a record that is no sample */
#ifndef EXPORT_EVENTS_VALUES_H
#define EXPORT_EVENTS_VALUES_H

#include "export/events/event_rows.h"

enum event_value_kind {
	EVENT_VALUE_U64,
	EVENT_VALUE_I64,             /* (int64_t)u */
	EVENT_VALUE_ADDRESS,         /* u: an address, or a mask */
	EVENT_VALUE_TEXT,
	EVENT_VALUE_BYTES,
	EVENT_VALUE_ARRAY,           /* of integers: event_value_element() */
};

struct event_value {
	const char *name;            /* as the trace has it, whatever bytes that are */
	enum event_value_kind kind;
	uint64_t u;
	struct sonde_str text;
	struct sonde_bytes bytes;
	uint64_t nr;                 /* elements of an array */
	bool is_signed;              /* its elements are */
	const struct event_row *row;     /* of an array of a tracepoint */
	const struct sonde_tracepoint_field *field;  /* of a tracepoint, else NULL */
	const struct sonde_evsel *evsel;             /* that counted, of a count; else NULL */
	uint64_t count_id;           /* of a count */
};

/* @v: a view until the function returns. A result other than 0 ends the walk and is returned. */
typedef int (*event_value_fn)(void *ctx, const struct event_value *v);

/* Whether a row has fields at all; records other than samples have. */
static inline bool event_has_values(const struct event_row *row)
{
	return !row->is_sample || row->sample.raw.len || row->evsel_of_id;
}

/*
 * Calls @fn for each field of a row, in the order of the record; common_* of tracepoints are left out. Counts of a
 * sample ("{a,b}:S") are fields with the names of their events.
 */
int event_values(const struct event_row *row, event_value_fn fn, void *ctx);

/* Are the values of a tracepoint's field of the kind EVENT_VALUE_ARRAY? */
bool event_field_is_array(const struct sonde_tracepoint_field *f);

uint64_t event_value_element(const struct event_value *v, uint64_t i);

/* The fields of a row as a JSON object: "{}" if there are none. Integers beyond 53 bits are texts. */
void event_values_json(const struct event_row *row, struct buf *out);

#endif
