/* SPDX-License-Identifier: MIT */
/* held_lines.h - lines that wait: whether a function is a leaf is known when the next event of its buffer has come */
#ifndef EXPORT_TRACE_REPORT_HELD_LINES_H
#define EXPORT_TRACE_REPORT_HELD_LINES_H

#include "export/trace_report/trace_report.h"

#define REPORT_HELD_MAX 1024  /* lines that one entry of a function can hold up when there are several buffers */

/* A line whose turn it is, unless it or others before it have to wait. */
int report_put_line(struct trace_report *t, const struct report_line *line, const uint8_t *record, int32_t pid);

/*
 * The next event of a buffer has come: was the entry before it that of a leaf? Then the event is part of its line,
 * and swallowed.
 */
int report_end_wait(struct trace_report *t, const struct report_look *look, const struct sonde_event *ev,
		    bool *swallowed);

/* Nothing more comes: what waits goes out. */
int report_end_all_waits(struct trace_report *t);

void report_free_waits(struct trace_report *t);

#endif
