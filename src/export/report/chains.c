/* SPDX-License-Identifier: MIT */
#include "export/report/chains.h"

#include "export/report/graph.h"
#include "export/report/stacks.h"

int report_put_chains(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	switch (t->x->report.graph_style) {
	case SONDE_GRAPH_FLAT:
	case SONDE_GRAPH_FOLDED:
		return report_put_stacks(b, t, row);
	case SONDE_GRAPH_TREE:
	case SONDE_GRAPH_FRACTAL:
		break;
	}
	return report_put_tree(b, t, row);
}
