/* SPDX-License-Identifier: MIT */
/*
 * field_counts.h - how often each value of each field of a tracepoint occurs, by event of the profile
 *
 * Counted are the first events of each, as long as there is room for more values; how many is told.
 */
#ifndef ANALYZE_TABLES_FIELD_COUNTS_H
#define ANALYZE_TABLES_FIELD_COUNTS_H

#include "analyze/tables/trace_fields.h"
#include "base/u64map.h"
#include "model/event.h"

enum {
	FIELD_COUNTS_MOST = 200000,      /* events of each kind */
	FIELD_COUNTS_VALUES = 500000,    /* combinations of values, of all kinds */
	FIELD_COUNTS_TEXT = 32 << 20,    /* bytes of all values */
};

struct field_value {
	const char *text;
	uint64_t count;
};

struct field_counts {
	bool on;
	struct trace_fields fields;
	struct u64map counts;            /* by event << 32 and the number of its values */
	VEC(uint32_t) counted;           /* by event: how many of it were counted */
	VEC(struct u64map_entry) by_event;   /* of counts, once they are settled */
};

struct field_values {
	VEC(struct field_value) list;
};

/* @on: values are counted. 0 or -SONDE_NOMEM; field_counts_free() in either case. */
int field_counts_init(struct field_counts *f, bool on);
void field_counts_free(struct field_counts *f);

/* Takes in a sample of an event of the profile. @formats: NULL: none are known. 0 or -SONDE_NOMEM. */
int field_counts_take(struct field_counts *f, const struct sonde_event *ev, uint32_t event,
		      const struct tracefmt *formats);

/* A trace has ended: the counts can be asked for. 0 or -SONDE_NOMEM. */
int field_counts_settle(struct field_counts *f);

/* How many events of a kind were counted, and the columns of its fields; NULL: it has none. */
uint32_t field_counts_counted(const struct field_counts *f, uint32_t event);
const struct trace_columns *field_counts_columns(const struct field_counts *f, uint32_t event);

/* Fills @v with the values of a column, the most frequent first; views of @f. 0 or -SONDE_NOMEM. */
int field_counts_list(const struct field_counts *f, uint32_t event, size_t column, struct field_values *v);

#endif
