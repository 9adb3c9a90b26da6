/* SPDX-License-Identifier: MIT */
/*
 * task_names.h - the names of tasks, learnt from the printed events
 *
 * The saved command lines come first. A task that they lack gets its name from the first printed event of systems sched
 * and task that has it; that event's line shows the name already. Earlier lines show "<...>".
 */
#ifndef EXPORT_TRACE_REPORT_TASK_NAMES_H
#define EXPORT_TRACE_REPORT_TASK_NAMES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "tracefmt/tracefmt.h"

/* Bytes of a column that can be read: most columns are shorter, and a copy of fixed size is a few instructions. */
#define REPORT_COPY 32

/* "  sleep-176   " of a task. It does not change while the names live. */
struct report_task {
	const char *comm;
	uint32_t len;                /* of text */
	bool named;
	char text[];                 /* REPORT_COPY bytes can be read */
};

#define REPORT_NAMES ((struct report_names){ .column = BUF_MEMORY })
struct report_names {
	bool latency;                /* names are cut to eight characters */
	struct arena arena;
	VEC(struct report_task *) tasks;
	struct u64map by_pid;        /* index in tasks */
	struct buf column;           /* of the task that is being added */
};

void report_names_free(struct report_names *n);

/* The column of a task; NULL when out of memory. */
const struct report_task *report_task(struct report_names *n, int32_t pid);

/* Names a task, unless it has a name. 0 or -SONDE_NOMEM. */
int report_name_task(struct report_names *n, int32_t pid, struct sonde_str comm);

/* The fields of an event that name tasks. */
struct report_naming {
	const struct sonde_tracepoint_field *pid[2], *comm[2];
};
struct report_naming report_naming_of(const struct tracefmt_event *e);
int report_names_learn(struct report_names *n, const struct report_naming *how, const struct tracefmt_event *e,
		       struct sonde_bytes record);

#endif
