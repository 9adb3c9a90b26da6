/* SPDX-License-Identifier: MIT */
/*
 * trace_report.h - events of one or several trace.dat as lines of text in the layout of trace-cmd report
 *
 * A line depends on its event, on some state of earlier events (names of tasks, the time of the previous line, the
 * depth of a traced function) and on the next event (whether it is the exit of the same function). The thread that
 * reads gathers this state in time order; any thread makes the text from it.
 *
 * trace_report.c gathers, event_look.c has the parts that all lines of an event share, held_lines.c keeps lines that
 * wait for other lines.
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

/* A trace to report. It lives as long as the report, with all members. */
struct report_input {
	const char *path;            /* shown, by its last part, if there are several traces */
	bool raw_stamps;             /* times are not nanoseconds, whatever the clock is */
	const struct meta *meta;
	const struct tracefmt *formats;  /* formats of its events; NULL if there are none */
	const struct sonde_evsel *const *evsels;
	size_t nr_evsels;
};

/* The state of each input. */
struct report_part {
	struct report_input in;
	struct report_look *looks;   /* by index of the evsel */
	struct report_look blank;    /* for lines of unknown events */
	struct report_names names;
};

/* Pages after a loss whose first event has not come yet. */
struct report_gap {
	const struct report_part *part;
	const uint8_t *page;
	size_t size;
	uint64_t time, lost;
	int32_t cpu;
};

/* A line that has to wait: it, or an earlier one, is the entry of a function that may be a leaf. */
struct report_held {
	struct report_line line;
	struct buf record;           /* with the record of the exit, if it is a leaf */
	int32_t pid;
	bool waits;                  /* waits for the next event of its buffer */
};

struct trace_report {
	_Alignas(ORDERED_POOL_APART) struct report_style style;  /* read by all threads */
	_Alignas(ORDERED_POOL_APART) struct report_part *parts;  /* in the order of the traces */
	size_t nr_parts;
	struct report_part *part;    /* the part of the current event */
	const int32_t *cpus;         /* of the query: losses of other CPUs are not shown; the caller's */
	size_t nr_cpus;
	struct report_choice choice;
	const char *const *comms;    /* only events of tasks with these names; the caller's */
	size_t nr_comms;
	uint64_t time_min, time_max;
	const struct sonde_time_range *times;
	size_t nr_times;
	bool relative;               /* times since the first event */
	uint64_t first_time;         /* of the first line; SONDE_NONE */
	/* time of the previous line; 0 if none, or if it was shown as 0, as trace-cmd does */
	uint64_t last_time;
	struct arena arena;
	struct report_depths depths;
	VEC(struct report_gap) gaps;
	struct report_held *held;    /* REPORT_HELD_MAX lines; NULL until the first */
	size_t nr_held;
	struct ordered_pool *pool;
	uint64_t head_bytes;         /* bytes of the titles, before the first event */
	/* Gives the next event, and its trace. */
	int (*next)(void *ctx, const struct sonde_event **ev, size_t *part);
	void *next_ctx;
	struct buf *out;
	struct sonde_error *err;
};

/* Options and the lists of their query live as long as @t; the array of inputs is read during the call. */
int trace_report_init(struct trace_report *t, const struct sonde_script_opts *opts, const struct report_input *in,
		      size_t nr, struct buf *out, struct sonde_error *err);
void trace_report_free(struct trace_report *t);

/**
 * trace_report_run - write the report; called once
 * @next: gives the events in time order: 1, 0 at the end, negative on failure; one thread at a time calls it
 * @threads: number of threads beside the caller's
 */
int trace_report_run(struct trace_report *t, int (*next)(void *ctx, const struct sonde_event **ev, size_t *part),
		     void *next_ctx, unsigned threads);

#endif
