/* SPDX-License-Identifier: MIT */
/* nodes.h - the call tree below a row as a list: each node before its children, these in the order of the drawn tree */
#ifndef EXPORT_REPORT_NODES_H
#define EXPORT_REPORT_NODES_H

#include "export/report/table.h"

struct report_node {
	uint32_t number;             /* in hists.tree */
	uint32_t depth;              /* 0: it hangs on the row */
	bool has_children;           /* the next node is one */
	uint64_t whole;              /* the weight that is 100 percent */
};

struct report_nodes { VEC(struct report_node) list; };

/* Fills @nodes, which may have those of another row. 0 or -SONDE_NOMEM */
int report_list_nodes(struct report_nodes *nodes, const struct report_table *t, const struct hist_entry *row);

void report_free_nodes(struct report_nodes *nodes);

#endif
