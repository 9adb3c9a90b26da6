/* SPDX-License-Identifier: MIT */
/* row_tree.h - the call tree of one row: equal stacks from it on become one branch, small branches are cut at once. */
#ifndef ANALYZE_ROW_TREE_H
#define ANALYZE_ROW_TREE_H

#include "analyze/forest.h"
#include "analyze/rows.h"

/* A place among the stacks from which a branch goes on. */
struct shoot {
	uint32_t stack;
	bool other;                  /* inwards: its weight is the one in forest.other, else what remains without that */
	struct weight value;
};

struct row_tree {
	struct forest *forest;
	const struct rows_opts *opts;
	struct rows *rows;           /* branches go to its tree */
	VEC(struct shoot) shoots;    /* of the row, put there by the caller; of branches behind them */
	VEC(struct bud) buds;        /* shoots to come, and the symbol that each grows into */
	VEC(struct shoot_range) ranges;  /* by branch of this row */
	uint32_t *branch_of_symbol;  /* among the siblings at hand; + 1 */
};

int row_tree_init(struct row_tree *t, struct forest *f, const struct rows_opts *opts, struct rows *rows);
void row_tree_free(struct row_tree *t);

/* Grows the tree of a row from t->shoots, which is empty afterwards. 0 or -SONDE_NOMEM. */
int row_tree_grow(struct row_tree *t, struct row *row);

#endif
