/* SPDX-License-Identifier: MIT */
/* event_choice.h - the choice of events that are printed: by filters, and by the context that they were in */
#ifndef EXPORT_TRACE_REPORT_EVENT_CHOICE_H
#define EXPORT_TRACE_REPORT_EVENT_CHOICE_H

#include <sonde/text.h>

#include "base/arena.h"
#include "base/u64map.h"
#include "tracefmt/filter/filter.h"

struct report_filter {
	struct tracefmt_filter *filter;
	bool inverse;                /* events that it matches are not printed */
};

struct report_choice {
	struct report_filter *filters;
	size_t nr;
	bool any_positive;           /* events that no positive filter matches are not printed */
	uint8_t hidden_flags;        /* of common_flags: events with one of these are not printed */
	struct u64map taken;         /* by CPU of a buffer: whether its last event was printed */
};

/* The filters for one event. */
struct report_concern {
	bool always;                 /* it is always printed */
	/* it is the stack of the previous event of its CPU, and printed if that one is */
	bool stack;
	bool *of;                    /* by filter */
};

/* 0 or negative: -SONDE_USAGE for a text that is no filter. Call report_choice_free() in any case. */
int report_choice_init(struct report_choice *c, const struct sonde_script_opts *opts, struct sonde_error *err);
void report_choice_free(struct report_choice *c);

/* Finds the filters for an event. 0 or -SONDE_NOMEM. */
int report_choice_concern(const struct report_choice *c, const struct tracefmt_event *e, struct arena *arena,
			  struct report_concern *out);

/* -SONDE_USAGE if a filter names none of these events. */
int report_choice_check(const struct report_choice *c, const struct tracefmt *const *sets, size_t nr,
			struct sonde_error *err);

/* A record, and the properties that the choice depends on. */
struct report_candidate {
	struct tracefmt_candidate record;
	uint32_t flags_at;           /* offset of its common_flags; beyond its end if it has none */
	const void *buffer;          /* any address that identifies its buffer */
};

/* Whether to print the record: 1, 0, -SONDE_NOMEM. Call it once for each record, in their order. */
int report_choice_takes(struct report_choice *c, const struct report_concern *concern,
			const struct report_candidate *record);

#endif
