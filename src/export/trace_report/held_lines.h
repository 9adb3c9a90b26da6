/* SPDX-License-Identifier: MIT */
/* held_lines.h - lines that wait: the next event of its buffer tells whether a function is a leaf */
#ifndef EXPORT_TRACE_REPORT_HELD_LINES_H
#define EXPORT_TRACE_REPORT_HELD_LINES_H

#include "export/trace_report/trace_report.h"

#define REPORT_HELD_MAX 1024  /* most lines that wait after the entry of a function, when there are several buffers */

/* Prints a line, unless it or an earlier one has to wait. */
int report_put_line(struct trace_report *t, const struct report_line *line, const uint8_t *record, int32_t pid);

/*
 * Tells that the next event of a buffer has come, which decides whether the waiting entry is a leaf. *@swallowed is set
 * if the event is the exit of that leaf: the line of the entry shows it.
 */
int report_end_wait(struct trace_report *t, const struct report_look *look, const struct sonde_event *ev,
		    bool *swallowed);

/* Prints all waiting lines at the end. */
int report_end_all_waits(struct trace_report *t);

void report_free_waits(struct trace_report *t);

#endif
