/* SPDX-License-Identifier: MIT */
/*
 * trace_fields.h - values of fields of tracepoints, which tell samples apart
 *
 * A word names fields: "prev_comm", "sched_switch.prev_comm" (a part of the event's name), "sched:sched_switch.*",
 * "trace_fields" (all of all events). Each may end in "/raw". An event has a column for each field that a word names.
 */
#ifndef ANALYZE_TABLES_TRACE_FIELDS_H
#define ANALYZE_TABLES_TRACE_FIELDS_H

#include "analyze/stacks/key_set.h"
#include "base/buf.h"
#include "base/strpool.h"
#include "tracefmt/tracefmt.h"

enum { TRACE_COLUMNS_MAX = 20 };

struct trace_column {
	const char *field;           /* its name */
	uint32_t word;               /* number of the word that names it */
	uint32_t width;              /* the least, as perf */
	bool raw;                    /* not as the text of the record has it */
	uint32_t flags;              /* SONDE_TRACEPOINT_* of the field that was met first */
};

/* The columns of an event of the profile. */
struct trace_columns {
	struct trace_column at[TRACE_COLUMNS_MAX];
	size_t n;
	bool known;                  /* a format of the event was met */
	bool left_out;               /* words name fields beyond TRACE_COLUMNS_MAX */
};

struct trace_fields {
	VEC(const char *) words;
	VEC(bool) used;              /* by word: it names a field of an event */
	bool raw;                    /* no value is as the text of the record has it */
	VEC(struct trace_columns) events;
	struct strpool names;
	struct strpool texts;
	struct key_set values;       /* a number of `texts`, and 1, for each column */
	struct buf record, value;    /* texts while they are made */
};

/* 0 or -SONDE_NOMEM; trace_fields_free() in either case */
int trace_fields_init(struct trace_fields *t, const char *const *words, size_t n, bool raw);
void trace_fields_free(struct trace_fields *t);

/* Adds a word, before the first event. 0 or -SONDE_NOMEM. */
int trace_fields_add(struct trace_fields *t, const char *word);

/* Makes the columns of an event, once. 0 or -SONDE_NOMEM. */
int trace_fields_note(struct trace_fields *t, uint32_t event, const struct tracefmt_event *format);

/* The number of the values that a record has in the columns of its event, and 1; 0 when out of memory. */
uint32_t trace_fields_number(struct trace_fields *t, uint32_t event, const struct tracefmt_event *format,
			     struct sonde_bytes raw);

/* The value in a column, by that number; NULL if the record has none. */
const char *trace_fields_value(const struct trace_fields *t, uint64_t number, size_t column);

/* The columns of an event; NULL: none is known. */
const struct trace_columns *trace_fields_columns(const struct trace_fields *t, uint32_t event);

/* Whether there is such a word, and an event has a field that it names. */
bool trace_fields_has(const struct trace_fields *t, const char *word, size_t len);

/* The first word that names no field of an event; NULL: each names one. */
const char *trace_fields_unknown(const struct trace_fields *t);

#endif
