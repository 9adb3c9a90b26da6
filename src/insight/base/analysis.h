/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - an analysis: a row of functions that take in events and give tables
 *
 *	events of a trace, by time  --->  handlers, take(), end()  --->  tables  --->  text, JSON, CSV, SQL, programs
 *
 * An analysis is a folder with one `struct analysis_ops`, and a line in insight/analyses.c. Its command, help,
 * completion, manual page, SQL tables, Python objects, fuzz target and documentation are made of the row. It opens no
 * file and prints nothing. Fields of tracepoints reach it through handlers (tracefmt/handler.h), or decoded as events
 * of the scheduler (sched/sched_event.h): it decodes none by itself.
 */
#ifndef INSIGHT_BASE_ANALYSIS_H
#define INSIGHT_BASE_ANALYSIS_H

#include <sonde/analysis.h>

#include "base/buf.h"
#include "model/event.h"
#include "sched/scope.h"
#include "table/table.h"
#include "tracefmt/handler.h"

/* The stacks of samples, by name. Only of those that are asked for. */
struct analysis_stacks {
	void *ctx;
	/* The number of frames of the stack of a sample, at most @most; 0: it has none. Or -SONDE_NOMEM. */
	int (*load)(void *ctx, const struct sonde_event *ev, uint32_t most);
	/* A function of the stack that was loaded last, the innermost is 0; NULL: nobody knows its name. */
	const char *(*at)(void *ctx, size_t i);
};

struct analysis_event {
	const struct sonde_event *ev;
	const struct tracefmt_event *format;     /* of its tracepoint; NULL: it is none, or not described */
	struct sonde_bytes raw;                  /* of its sample */
	const struct analysis_stacks *stacks;    /* NULL: the analysis does not want them */
};

struct analysis_ops {
	struct sonde_analysis_kind pub;
	const struct sonde_analysis_option *options;     /* these three end with a row of zeros */
	const struct table_schema *tables;               /* that it can give */
	const struct sonde_analysis_example *examples;
	const struct tracepoint_handler *handlers;  /* ends with a row of zeros; NULL: none. Before take() */
	/* @tables: one for each row of `tables`, without rows; they outlive the state. NULL when out of memory. */
	void *(*new)(struct sonde_table *tables);
	/* @option: a row of `options`; @value: NULL if it takes none. 0 or -SONDE_USAGE. */
	int (*set)(void *state, const struct sonde_analysis_option *option, const char *value, struct sonde_error *err);
	/* Before the first event. @shown, @scope: see sonde_analysis_run() and sched/scope.h; they outlive the run. */
	void (*begin)(void *state, const struct sonde_query *shown, const struct sched_scope *scope);
	/* 0 or -SONDE_NOMEM. */
	int (*take)(void *state, const struct analysis_event *e);
	/* Makes the tables complete. 0 or -SONDE_NOMEM. */
	int (*end)(void *state);
	const char *(*note)(const void *state);      /* see sonde_analysis_note() */
	bool (*wants_stacks)(const void *state);     /* as its options are; NULL: never */
	bool (*gives)(const void *state, size_t table);      /* whether the options ask for it */
	void (*text)(void *state, struct buf *out);  /* NULL: each table with its title */
	void (*free)(void *state);
};

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#endif
