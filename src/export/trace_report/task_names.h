/* SPDX-License-Identifier: MIT */
/*
 * task_names.h - the names of tasks, learnt from the events that are printed
 *
 * The saved command lines come first. A task that they lack is named by the first event of systems sched and task
 * that is printed and tells its name, in the line of that event already; lines before that show "<...>".
 */
#ifndef EXPORT_TRACE_REPORT_TASK_NAMES_H
#define EXPORT_TRACE_REPORT_TASK_NAMES_H

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "tracefmt/tracefmt.h"

/* Texts of columns can be read this far: most are shorter, and a copy of fixed size is a few instructions. */
#define REPORT_COPY 32

/* "           sleep-176   " and how it is asked for. It stays as it is as long as the names live. */
struct report_task {
	const char *comm;
	uint32_t len;                /* of text */
	bool named;
	char text[];                 /* REPORT_COPY bytes can be read */
};

struct report_names {
	bool latency;                /* names are cut to eight characters */
	struct arena arena;
	VEC(struct report_task *) tasks;
	struct u64map by_pid;        /* index in tasks */
};

void report_names_free(struct report_names *n);

/* A task; NULL when out of memory. */
const struct report_task *report_task(struct report_names *n, int32_t pid);

/* Gives a task its name, if it has none. 0 or -SONDE_NOMEM. */
int report_name_task(struct report_names *n, int32_t pid, struct sonde_str comm);

/* Fields by which an event names tasks. */
struct report_naming {
	const struct sonde_tracepoint_field *pid[2], *comm[2];
};
struct report_naming report_naming_of(const struct tracefmt_event *e);
int report_names_learn(struct report_names *n, const struct report_naming *how, const struct tracefmt_event *e,
		       struct sonde_bytes record);

#endif
