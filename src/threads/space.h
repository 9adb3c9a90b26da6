/* SPDX-License-Identifier: MIT */
/*
 * space.h - what is mapped where, at every moment
 *
 * An address space is a treap of mappings keyed by start address whose nodes never change: a change copies the path to the
 * root and gives a new root. So every root ever seen stays valid as long as the pool lives, a fork shares its parent's
 * root, and samples of different moments can be looked up at the same time without a lock.
 */
#ifndef THREADS_SPACE_H
#define THREADS_SPACE_H

#include "base/arena.h"
#include "threads/mapping.h"

struct space_node;
typedef const struct space_node *space_root;  /* NULL: nothing is mapped */

struct space_pool {
	struct arena nodes;
};

/**
 * space_map - @root with @m on top of what was there; overlapped mappings are cut or gone
 * @out: the new root; may be the address of the variable that holds @root
 * Returns 0 or -SONDE_NOMEM. An empty mapping changes nothing.
 */
int space_map(struct space_pool *pool, space_root root, const struct mapping *m, space_root *out);

/** space_unmap - without [start, end) */
int space_unmap(struct space_pool *pool, space_root root, uint64_t start, uint64_t end, space_root *out);

/** space_find - the mapping that holds @addr, or NULL; lives as long as the pool */
const struct mapping *space_find(space_root root, uint64_t addr);

/** space_next - the first mapping that begins at @addr or behind it, or NULL; lives as long as the pool */
const struct mapping *space_next(space_root root, uint64_t addr);

void space_pool_free(struct space_pool *pool);

#endif
