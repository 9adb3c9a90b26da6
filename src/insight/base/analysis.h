/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - an analysis: a row of functions that take in events and give tables
 *
 *	events of a trace, by time  --->  take(), end()  --->  tables  --->  text, JSON, CSV, programs
 *
 * An analysis has a folder of its own and a row in insight/analyses.c. It opens no file, prints nothing and decodes no
 * tracepoint by itself (sched/sched_event.h does).
 */
#ifndef INSIGHT_BASE_ANALYSIS_H
#define INSIGHT_BASE_ANALYSIS_H

#include "base/buf.h"
#include "model/event.h"
#include "sched/scope.h"
#include "table/table.h"
#include "tracefmt/tracefmt.h"

struct analysis_event {
	const struct sonde_event *ev;
	const struct tracefmt_event *format;     /* of its tracepoint; NULL: it is none, or not described */
	struct sonde_bytes raw;                  /* of its sample */
};

struct analysis_ops {
	struct sonde_analysis_kind pub;
	/* NULL when out of memory. */
	void *(*new)(void);
	/* @option: one of pub.options; @value: NULL if it takes none. 0 or -SONDE_USAGE. */
	int (*set)(void *state, const struct sonde_analysis_option *option, const char *value, struct sonde_error *err);
	/* Before the first event. @shown, @scope: see sonde_analysis_run() and sched/scope.h; they outlive the run. */
	void (*begin)(void *state, const struct sonde_query *shown, const struct sched_scope *scope);
	/* 0 or -SONDE_NOMEM. */
	int (*take)(void *state, const struct analysis_event *e);
	/* Makes the tables complete. 0 or -SONDE_NOMEM. */
	int (*end)(void *state);
	const char *(*note)(const void *state);      /* see sonde_analysis_note() */
	struct sonde_table *(*table_at)(void *state, size_t i);
	void (*text)(void *state, struct buf *out);
	void (*free)(void *state);
};

#endif
