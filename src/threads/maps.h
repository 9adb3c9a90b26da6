/* SPDX-License-Identifier: MIT */
/*
 * maps.h - what is mapped where, at every moment
 *
 * An address space is a treap of mappings keyed by start address whose nodes never change: a change copies the path to
 * the root and gives a new root. So every root ever seen stays valid as long as the pool lives, a fork shares its
 * parent's root, and samples of different moments can be looked up at the same time without a lock.
 */
#ifndef THREADS_MAPS_H
#define THREADS_MAPS_H

#include "base/arena.h"
#include "threads/mapping.h"

struct maps_node;
typedef const struct maps_node *maps_root;  /* NULL: nothing is mapped */

struct maps_pool {
	struct arena nodes;
	uint32_t edit, nr_edits;     /* the edit that is under way; 0: none */
};

/*
 * Between the two, a change writes into nodes that the edit itself has made: many changes cost little memory, and each
 * root within the edit but the last one is void.
 */
static inline void maps_edit_begin(struct maps_pool *pool)
{
	pool->edit = ++pool->nr_edits;
}

static inline void maps_edit_end(struct maps_pool *pool)
{
	pool->edit = 0;
}

/**
 * maps_insert - @root with @m on top of what was there; overlapped mappings are cut or gone
 * @out: the new root; may be the address of the variable that holds @root
 * Returns 0 or -SONDE_NOMEM. An empty mapping changes nothing.
 */
int maps_insert(struct maps_pool *pool, maps_root root, const struct mapping *m, maps_root *out);

/** maps_remove - without [start, end) */
int maps_remove(struct maps_pool *pool, maps_root root, uint64_t start, uint64_t end, maps_root *out);

/** maps_find - the mapping that holds @addr, or NULL; lives as long as the pool */
const struct mapping *maps_find(maps_root root, uint64_t addr);

/** maps_before - the last mapping that begins at @addr or before it, or NULL; lives as long as the pool */
const struct mapping *maps_before(maps_root root, uint64_t addr);

/** maps_next - the first mapping that begins at @addr or after it, or NULL; lives as long as the pool */
const struct mapping *maps_next(maps_root root, uint64_t addr);

void maps_pool_free(struct maps_pool *pool);

#endif
