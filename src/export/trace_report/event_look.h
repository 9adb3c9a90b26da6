/* SPDX-License-Identifier: MIT */
/* event_look.h - the parts that all lines of an event share */
#ifndef EXPORT_TRACE_REPORT_EVENT_LOOK_H
#define EXPORT_TRACE_REPORT_EVENT_LOOK_H

#include "export/trace_report/trace_report.h"

/* Makes the first columns: names of files and buffers. 0 or negative. */
int report_make_prefixes(struct trace_report *t);

/* The shared parts for an evsel of this trace; NULL when out of memory. */
struct report_look *report_look_of(struct trace_report *t, const struct sonde_evsel *evsel);

#endif
