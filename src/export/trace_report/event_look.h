/* SPDX-License-Identifier: MIT */
/* event_look.h - what the lines of an event have in common */
#ifndef EXPORT_TRACE_REPORT_EVENT_LOOK_H
#define EXPORT_TRACE_REPORT_EVENT_LOOK_H

#include "export/trace_report/trace_report.h"

/* The columns before all others: names of files and buffers. 0 or negative. */
int report_make_prefixes(struct trace_report *t);

/* How the lines of an evsel of this trace look; NULL when out of memory. */
struct report_look *report_look_of(struct trace_report *t, const struct sonde_evsel *evsel);

#endif
