/* SPDX-License-Identifier: MIT */
/* event_choice.h - which events of a trace.dat have a line: filters, and the context that they were in */
#ifndef EXPORT_TRACE_REPORT_EVENT_CHOICE_H
#define EXPORT_TRACE_REPORT_EVENT_CHOICE_H

#include <sonde/text.h>

#include "base/arena.h"
#include "base/u64map.h"
#include "tracefmt/filter/filter.h"

struct report_filter {
	struct tracefmt_filter *filter;
	bool inverse;                /* what it matches has no line */
};

struct report_choice {
	struct report_filter *filters;
	size_t nr;
	bool any_positive;           /* what none of them matches has no line */
	uint8_t hidden_flags;        /* of common_flags: events with one of these have no line */
	struct u64map taken;         /* by CPU of a buffer: whether its last event has a line */
};

/* The filters that are about one event. */
struct report_concern {
	bool always;                 /* it has a line in any case */
	/* it is the stack of the event before it on its CPU, and has a line if that has one */
	bool stack;
	bool *of;                    /* by filter */
};

/* 0 or negative: -SONDE_USAGE for a filter that is none. report_choice_free() in any case. */
int report_choice_init(struct report_choice *c, const struct sonde_script_opts *opts, struct sonde_error *err);
void report_choice_free(struct report_choice *c);

/* Finds the filters that are about an event. 0 or -SONDE_NOMEM. */
int report_choice_concern(const struct report_choice *c, const struct tracefmt_event *e, struct arena *arena,
			  struct report_concern *out);

/* -SONDE_USAGE if a filter is about no event of all these. */
int report_choice_check(const struct report_choice *c, const struct tracefmt *const *sets, size_t nr,
			struct sonde_error *err);

/* A record, and what there is to know of it. */
struct report_candidate {
	struct tracefmt_candidate record;
	uint32_t flags_at;           /* where its common_flags are; behind its end if nowhere */
	const void *buffer;          /* any address that is that of its buffer alone */
};

/* Whether it has a line: 1, 0, -SONDE_NOMEM. Ask once for each record, in their order. */
int report_choice_takes(struct report_choice *c, const struct report_concern *concern,
			const struct report_candidate *record);

#endif
