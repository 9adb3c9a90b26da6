/* SPDX-License-Identifier: MIT */
/*
 * trace_report.h - events of one or several trace.dat as lines of text in the layout of trace-cmd report
 *
 * A line is made of the event and of a few things that depend on the events before it (names of tasks, the time of
 * the line before, how deep a traced function is) or behind it (whether a function that is entered is left at once).
 * These are gathered on the thread that reads, in time order; the text is made from them by any thread.
 *
 * trace_report.c gathers; event_look.c has what all lines of an event share, held_lines.c keeps lines that wait for
 * others.
 */
#ifndef EXPORT_TRACE_REPORT_TRACE_REPORT_H
#define EXPORT_TRACE_REPORT_TRACE_REPORT_H

#include <sonde/text.h>

#include "base/ordered_pool.h"
#include "export/trace_report/call_depth.h"
#include "export/trace_report/event_choice.h"
#include "export/trace_report/line.h"
#include "export/trace_report/task_names.h"
#include "model/meta.h"

/* A trace that is reported. All of it has to live as long as the report. */
struct report_input {
	const char *path;            /* its last part is shown when there are several */
	bool raw_stamps;             /* its times do not count nanoseconds, whatever the clock is */
	const struct meta *meta;
	const struct tracefmt *formats;  /* of its events, NULL if there are none */
	const struct sonde_evsel *const *evsels;
	size_t nr_evsels;
};

/* The state of each input. */
struct report_part {
	struct report_input in;
	struct report_look *looks;   /* by index of the evsel */
	struct report_look blank;    /* of lines that are of no known event */
	struct report_names names;
};

/* Pages before which events were lost, and whose first event has not come yet. */
struct report_gap {
	const struct report_part *part;
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
	_Alignas(ORDERED_POOL_APART) struct report_style style;  /* what all threads look at */
	_Alignas(ORDERED_POOL_APART) struct report_part *parts;  /* by the order of the traces */
	size_t nr_parts;
	struct report_part *part;    /* whose event is at hand */
	const int32_t *cpus;         /* of the query: losses of others are not shown; the caller's */
	size_t nr_cpus;
	struct report_choice choice;
	const char *const *comms;    /* only events of tasks with these names; the caller's */
	size_t nr_comms;
	uint64_t time_min, time_max;
	const struct sonde_time_range *times;
	size_t nr_times;
	bool relative;               /* times since the first event */
	uint64_t first_time;         /* of the first line; SONDE_NONE */
	/* of the one before; 0, and so none where that is what was shown, as trace-cmd has it */
	uint64_t last_time;
	struct arena arena;
	struct report_depths depths;
	VEC(struct report_gap) gaps;
	struct report_held *held;    /* REPORT_HELD_MAX of them; NULL until there is one */
	size_t nr_held;
	struct ordered_pool *pool;
	uint64_t head_bytes;         /* that were written before the first event */
	/* The next event, and of which trace it is. */
	int (*next)(void *ctx, const struct sonde_event **ev, size_t *part);
	void *next_ctx;
	struct buf *out;
	struct sonde_error *err;
};

/* Options and the lists of their query are looked at as long as @t lives; the array of inputs during the call. */
int trace_report_init(struct trace_report *t, const struct sonde_script_opts *opts, const struct report_input *in,
		      size_t nr, struct buf *out, struct sonde_error *err);
void trace_report_free(struct trace_report *t);

/**
 * trace_report_run - write the report; once
 * @next: gives the events in time order: 1, 0 at the end, negative on failure; called by one thread at a time
 * @threads: that help the caller's
 */
int trace_report_run(struct trace_report *t, int (*next)(void *ctx, const struct sonde_event **ev, size_t *part),
		     void *next_ctx, unsigned threads);

#endif
