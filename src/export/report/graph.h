/* SPDX-License-Identifier: MIT */
/* graph.h - the call tree below a row, drawn with lines */
#ifndef EXPORT_REPORT_GRAPH_H
#define EXPORT_REPORT_GRAPH_H

#include "export/report/table.h"

/* 0 or -SONDE_NOMEM */
int report_put_tree(struct buf *b, const struct report_table *t, const struct hist_entry *row);

/* Sorts numbers of nodes: children of one node together, heaviest first. */
void report_sort_branches(const struct report_table *t, uint32_t *numbers, size_t n);

#endif
