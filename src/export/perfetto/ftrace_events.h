/* SPDX-License-Identifier: MIT */
/* ftrace_events.h - tracepoints as FtraceEvent of Perfetto: a few with a type of their own, the rest generic */
#ifndef EXPORT_PERFETTO_FTRACE_EVENTS_H
#define EXPORT_PERFETTO_FTRACE_EVENTS_H

#include "export/events/event_rows.h"

/* Appends an FtraceEvent with the number @field of an FtraceEventBundle; a sched_switch as a generic one. */
void ftrace_event_put(const struct event_row *row, uint32_t field, struct buf *out);

struct switch_task {
	const char *comm;
	int32_t tid, prio;
};

/* The same of a sched_switch, with the type of its own. @next: the task that comes to the CPU; NULL: the row's. */
void ftrace_switch_put(const struct event_row *row, const struct switch_task *next, uint32_t field, struct buf *out);

/* The same of a switch that no tracepoint tells. */
void ftrace_switch_put_between(uint64_t time, const struct switch_task *prev, uint64_t prev_state,
			       const struct switch_task *next, uint32_t field, struct buf *out);

#endif
