/* SPDX-License-Identifier: MIT */
/* lines.h - a row of a report as a line */
#ifndef EXPORT_REPORT_LINES_H
#define EXPORT_REPORT_LINES_H

#include "export/report/table.h"

/* The cells of a row; the titles if row is NULL. */
void report_put_row(struct buf *b, const struct report_table *t, const struct hist_entry *row);

/* The cells without figures. */
void report_put_key(struct buf *b, const struct report_table *t, const struct hist_entry *row);

#endif
