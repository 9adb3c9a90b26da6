/* SPDX-License-Identifier: MIT */
/*
 * forest.h - the stacks of a profile laid out for walks in both directions, and the weights of one group of cells on them
 */
#ifndef ANALYZE_FOREST_H
#define ANALYZE_FOREST_H

#include "analyze/profile.h"
#include "analyze/rows.h"

/* A stack, and the cell of the group that first came through it. */
struct touched { uint32_t stack, cell; };

struct forest {
	const struct sonde_profile *p;
	size_t n;                    /* stacks; 0 is the root of all */
	uint32_t *first_child, *next;
	uint32_t *depth;             /* frames in the stack */
	uint32_t *symbol_of_frame;   /* frames that look the same are one symbol */
	uint32_t nr_symbols;
	uint32_t *part_of_frame;     /* what rows tell apart */
	uint32_t nr_parts;
	uint32_t *above;             /* by stack: the nearest outer stack that ends in the same part; 0: none */

	/* Of the group at hand; 0 where it has nothing. */
	struct weight *weight;       /* of the stacks that go through here */
	uint64_t *latency;           /* the same of latencies */
	uint32_t *deepest;           /* depth of the deepest of them */
	VEC(struct touched) touched;
	struct weight *other;        /* weights of a few cells of the group */
};

/* The keys of functions make a part; those of samples are passed over. */
int forest_init(struct forest *f, const struct sonde_profile *p, const struct row_key *const *keys, size_t nr_keys);
void forest_free(struct forest *f);

/* Puts the period of a cell on all of its stack. 0 or -SONDE_NOMEM */
int forest_add(struct forest *f, uint32_t cell);
void forest_clear(struct forest *f);

static inline uint32_t forest_frame(const struct forest *f, uint32_t stack)
{
	return f->p->stacks.list.at[stack].frame;
}

static inline uint32_t forest_part(const struct forest *f, uint32_t stack)
{
	return f->part_of_frame[forest_frame(f, stack)];
}

static inline uint32_t forest_parent(const struct forest *f, uint32_t stack)
{
	return f->p->stacks.list.at[stack].parent;
}

#endif
