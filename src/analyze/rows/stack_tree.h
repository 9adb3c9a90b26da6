/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.h - the stacks of a profile linked for walks in both directions, with the weights of one group of cells
 */
#ifndef ANALYZE_ROWS_STACK_TREE_H
#define ANALYZE_ROWS_STACK_TREE_H

#include "analyze/tables/profile.h"
#include "analyze/rows/hists.h"

/* A stack, and the first cell of the group whose stack begins with it. */
struct touched { uint32_t stack, cell; };

struct stack_tree {
	const struct sonde_profile *p;
	size_t n;                    /* stacks; 0 is the root of all */
	uint32_t *first_child, *next;
	uint32_t *depth;             /* frames in the stack */
	uint32_t *symbol_of_frame;   /* frames that look the same are one symbol */
	uint32_t nr_symbols;
	uint32_t *graph_symbol_of_frame;   /* the same of trees, which may tell the lines of a function apart */
	uint32_t nr_graph_symbols;
	uint32_t *part_of_frame;     /* frames that differ in a key of functions have different parts */
	uint32_t nr_parts;
	uint32_t *above;             /* by stack: the nearest outer stack that ends in the same part; 0: none */

	/* These are of the current group, and 0 for stacks that it does not have. */
	struct weight *weight;       /* of all stacks that begin with this one */
	uint64_t *latency;           /* the same, of latencies */
	uint32_t *deepest;           /* depth of the deepest of them */
	VEC(struct touched) touched;
	struct weight *other;        /* weights of a few cells of the group */
};

/*
 * Keys of functions make a part; keys of samples are ignored. @graph_lines: see struct hists_opts. 0 or -SONDE_NOMEM
 */
int stack_tree_init(struct stack_tree *t, const struct sonde_profile *p, const struct hist_key *const *keys,
		    size_t nr_keys, bool graph_lines);
void stack_tree_free(struct stack_tree *t);

/* Adds the period of a cell to its stack and to all outer ones. 0 or -SONDE_NOMEM */
int stack_tree_add(struct stack_tree *t, uint32_t cell);
void stack_tree_clear(struct stack_tree *t);

static inline uint32_t stack_tree_frame(const struct stack_tree *t, uint32_t stack)
{
	return t->p->stacks.list.at[stack].frame;
}

static inline uint32_t stack_tree_part(const struct stack_tree *t, uint32_t stack)
{
	return t->part_of_frame[stack_tree_frame(t, stack)];
}

static inline uint32_t stack_tree_parent(const struct stack_tree *t, uint32_t stack)
{
	return t->p->stacks.list.at[stack].parent;
}

#endif
