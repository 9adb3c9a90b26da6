/* SPDX-License-Identifier: MIT */
/* ftrace_events.h - tracepoints as FtraceEvent of Perfetto: a few with a type of their own, the rest generic */
#ifndef EXPORT_PERFETTO_FTRACE_EVENTS_H
#define EXPORT_PERFETTO_FTRACE_EVENTS_H

#include "export/events/event_rows.h"

/* Appends an FtraceEvent with the number @field of an FtraceEventBundle. */
void ftrace_event_put(const struct event_row *row, uint32_t field, struct buf *out);

#endif
