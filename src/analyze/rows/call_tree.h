/* SPDX-License-Identifier: MIT */
/* call_tree.h - the call tree of one row: equal stacks share a node, nodes below the limit are left out at once. */
#ifndef ANALYZE_ROWS_CALL_TREE_H
#define ANALYZE_ROWS_CALL_TREE_H

#include "analyze/rows/hists.h"
#include "analyze/rows/stack_tree.h"

/* A stack that belongs to a node, and its share of the node's weight. */
struct stack_ref {
	uint32_t stack;
	bool other;                  /* inwards: its weight is in stack_tree.other, else it is the rest */
	struct weight value;
};

struct call_tree {
	struct stack_tree *stack_tree;
	const struct hists_opts *opts;
	struct hists *hists;         /* nodes are added to its tree */
	VEC(struct stack_ref) refs;  /* of the row, put there by the caller; then of its nodes */
	VEC(struct candidate) candidates;  /* for the next nodes */
	VEC(struct ref_range) ranges;  /* the refs of each node of this row */
	uint32_t *node_of_symbol;  /* among the siblings at hand; + 1 */
};

int call_tree_init(struct call_tree *t, struct stack_tree *f, const struct hists_opts *opts, struct hists *hists);
void call_tree_free(struct call_tree *t);

/* Makes the tree of a row from t->refs, which is empty afterwards. 0 or -SONDE_NOMEM. */
int call_tree_expand(struct call_tree *t, struct hist_entry *row);

#endif
