/* SPDX-License-Identifier: MIT */
/* chains.c - the call chains below a row: as a tree, or one after the other */
#include "export/report/text.h"

int report_put_graph(struct buf *b, const struct table *t, const struct hist_entry *row)
{
	switch (t->x->opts.graph_style) {
	case SONDE_GRAPH_FLAT:
	case SONDE_GRAPH_FOLDED:
		return report_put_stacks(b, t, row);
	case SONDE_GRAPH_TREE:
	case SONDE_GRAPH_FRACTAL:
		break;
	}
	return report_put_tree(b, t, row);
}
