/* SPDX-License-Identifier: MIT */
/* text.h - parts of a report as text */
#ifndef EXPORT_REPORT_TEXT_H
#define EXPORT_REPORT_TEXT_H

#include "export/report/table.h"

/* The name of a function in a call tree, without the lines of the tree. */
void report_put_function(struct buf *b, const struct report_table *t, uint32_t frame);

/* The function of a node, and the counts of its branches. */
void report_put_node(struct buf *b, const struct report_table *t, uint32_t node);

/* The branches in a node of a call tree; NULL: none. */
const struct branch_sums *report_branches(const struct report_table *t, uint32_t node);

/* A weight in the form that -g asks for; percentages are of @whole. */
void report_put_value(struct buf *b, const struct report_table *t, struct weight w, uint64_t whole);

/* The width of a column: that of --column-widths, else that of its longest text. */
uint32_t report_width(const struct report_table *t, size_t column);

/* The padded text of a row in a column; the title if row is NULL. */
void report_put_cell(struct buf *b, const struct report_table *t, size_t column, const struct hist_entry *row);

#endif
