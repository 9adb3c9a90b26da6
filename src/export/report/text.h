/* SPDX-License-Identifier: MIT */
/* text.h - the parts of a report as text. */
#ifndef EXPORT_REPORT_TEXT_H
#define EXPORT_REPORT_TEXT_H

#include "export/report/table.h"

/* The name of a function in a call tree, without the lines before it. */
void report_put_function(struct buf *b, const struct table *t, uint32_t frame);

/* A weight as -g asks for it; percentages are of whole. */
void report_put_value(struct buf *b, const struct table *t, struct weight w, uint64_t whole);

/* How wide a column is: what --column-widths says, else what its texts need. */
uint32_t report_width(const struct table *t, size_t column);

/* The text of a row in a column, padded; its title where row is NULL. */
void report_put_cell(struct buf *b, const struct table *t, size_t column, const struct hist_entry *row);

#endif
