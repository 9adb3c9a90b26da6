/* SPDX-License-Identifier: MIT */
/*
 * trace_report.h - events of a trace.dat as lines of text in the layout of trace-cmd report
 *
 * A line is made of the event and of a few things that depend on the events before it (names of tasks, the time of the line
 * before, how deep a traced function is) or behind it (whether a function that is entered is left at once). These are gathered on the
 * thread that reads, in time order; the text is made from them by any thread.
 */
#ifndef EXPORT_TRACE_REPORT_H
#define EXPORT_TRACE_REPORT_H

#include <sonde/text.h>

#include "export/relay.h"
#include "export/trace_depth.h"
#include "export/trace_line.h"
#include "export/trace_names.h"

/* Pages before which events were lost, and whose first event has not come yet. */
struct report_gap {
	const uint8_t *page;
	size_t size;
	uint64_t time, lost;
	int32_t cpu;
};

/* A line that has to wait: it, or one before it, is the entry of a function which may be a leaf. */
struct report_held {
	struct report_line line;
	struct buf record;           /* with that of the exit behind it, if it is a leaf */
	int32_t pid;
	bool waits;                  /* for the next event of its buffer */
};

struct trace_report {
	_Alignas(RELAY_APART) struct report_style style;  /* what all threads look at */
	_Alignas(RELAY_APART) const struct sonde_meta *meta;
	const struct tracefmt *formats;
	const int32_t *cpus;         /* of the query: losses of others are not shown; the caller's */
	size_t nr_cpus;
	const char *const *comms;    /* only events of tasks with these names; the caller's */
	size_t nr_comms;
	uint64_t time_min, time_max;
	const struct sonde_time_range *times;
	size_t nr_times;
	bool relative;               /* times since the first event */
	uint64_t first_time, last_time;  /* of the first line, and of the one before; SONDE_NONE */
	struct report_look *looks;   /* by index of the source */
	struct arena arena;
	struct report_names names;
	struct report_depths depths;
	VEC(struct report_gap) gaps;
	struct report_held *held;    /* HELD_MAX of them; NULL until there is one */
	size_t nr_held;
	struct relay *relay;
	int (*next)(void *ctx, struct sonde_event *ev);
	void *next_ctx;
	struct buf *out;
	struct sonde_error *err;
};

/* Options and the lists of their query are looked at as long as @t lives. @formats: of the events, NULL if there are none. */
int trace_report_init(struct trace_report *t, const struct sonde_script_opts *opts, const struct sonde_meta *meta,
		      const struct tracefmt *formats, struct buf *out, struct sonde_error *err);
void trace_report_free(struct trace_report *t);

/**
 * trace_report_run - write the report; once
 * @list: the sources of the trace, n of them
 * @next: gives the events in time order: 1, 0 at the end, negative on failure; called by one of several threads at a time
 * @threads: that help the caller's
 */
int trace_report_run(struct trace_report *t, const struct sonde_source *const *list, size_t n,
		     int (*next)(void *ctx, struct sonde_event *ev), void *next_ctx, unsigned threads);

#endif
