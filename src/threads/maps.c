/* SPDX-License-Identifier: MIT */
#include "threads/maps.h"

#include "base/err.h"
#include "base/hash.h"

/*
 * A treap: ordered by start address, heap-ordered by a priority hashed from it. Recursion goes as deep as the tree,
 * which for hashed priorities is a small multiple of the logarithm of its size. Addresses come from the file, so
 * somebody could choose them to make a list of the tree: the hash is mixed with the address of the pool to prevent
 * that, and no order of anything visible depends on it.
 */
struct maps_node {
	struct mapping m;
	const struct maps_node *left, *right;
	uint32_t priority;
	uint32_t edit;               /* in which it was made; 0: none */
};

/* A node like @like with other children; itself where nobody else knows it. */
static struct maps_node *node_with(struct maps_pool *pool, maps_root like, maps_root left, maps_root right)
{
	struct maps_node *n = (struct maps_node *)(uintptr_t)like;

	if (!pool->edit || n->edit != pool->edit) {
		n = arena_alloc(&pool->nodes, sizeof(*n));
		if (!n)
			return NULL;
		*n = *like;
		n->edit = pool->edit;
	}
	n->left = left;
	n->right = right;
	return n;
}

/* Splits into what starts below addr and what starts at or above it. */
static int split(struct maps_pool *pool, maps_root t, uint64_t addr, maps_root *below, maps_root *above)
{
	struct maps_node *n;
	maps_root rest;

	if (!t) {
		*below = *above = NULL;
		return 0;
	}
	if (t->m.start < addr) {
		if (split(pool, t->right, addr, &rest, above) < 0)
			return -SONDE_NOMEM;
		*below = n = node_with(pool, t, t->left, rest);
	} else {
		if (split(pool, t->left, addr, below, &rest) < 0)
			return -SONDE_NOMEM;
		*above = n = node_with(pool, t, rest, t->right);
	}
	return n ? 0 : -SONDE_NOMEM;
}

/* Joins two trees, all of a below all of b. */
static int join(struct maps_pool *pool, maps_root a, maps_root b, maps_root *out)
{
	struct maps_node *n;
	maps_root rest;

	if (!a || !b) {
		*out = a ? a : b;
		return 0;
	}
	if (a->priority > b->priority) {
		if (join(pool, a->right, b, &rest) < 0)
			return -SONDE_NOMEM;
		*out = n = node_with(pool, a, a->left, rest);
	} else {
		if (join(pool, a, b->left, &rest) < 0)
			return -SONDE_NOMEM;
		*out = n = node_with(pool, b, rest, b->right);
	}
	return n ? 0 : -SONDE_NOMEM;
}

static const struct maps_node *last_node(maps_root t)
{
	while (t && t->right)
		t = t->right;
	return t;
}

static int append(struct maps_pool *pool, maps_root root, const struct mapping *m, maps_root *out)
{
	struct maps_node *n = arena_alloc(&pool->nodes, sizeof(*n));

	if (n)
		*n = (struct maps_node){ .m = *m, .priority = (uint32_t)hash_two((uintptr_t)pool, m->start),
					 .edit = pool->edit };
	return n ? join(pool, root, n, out) : -SONDE_NOMEM;
}

/* Cuts the last mapping of t, which starts below start, at start; what it has after end becomes *tail. */
static int cut_last(struct maps_pool *pool, maps_root t, uint64_t start, uint64_t end, maps_root *out,
		    struct mapping *tail)
{
	const struct maps_node *last = last_node(t);
	maps_root before, gone;
	struct mapping head;

	*out = t;
	tail->start = tail->end = 0;
	if (!last || last->m.end <= start)
		return 0;
	if (last->m.end > end) {
		*tail = last->m;
		tail->pgoff += end - tail->start;
		tail->start = end;
	}
	head = last->m;
	head.end = start;
	return split(pool, t, head.start, &before, &gone) < 0 ? -SONDE_NOMEM : append(pool, before, &head, out);
}

/* Takes [start, end) out of t: what is below and what is above it. */
static int take_out(struct maps_pool *pool, maps_root t, uint64_t start, uint64_t end, maps_root *below,
		    maps_root *above)
{
	const struct maps_node *last;
	struct mapping tail;
	maps_root middle, joined = NULL;

	if (split(pool, t, start, below, &middle) < 0 || split(pool, middle, end, &middle, above) < 0)
		return -SONDE_NOMEM;
	if (cut_last(pool, *below, start, end, below, &tail) < 0)
		return -SONDE_NOMEM;
	last = last_node(middle);
	if (last && last->m.end > end) {  /* the last of what is covered may reach beyond */
		tail = last->m;
		tail.pgoff += end - tail.start;
		tail.start = end;
	}
	if (tail.start == tail.end)
		return 0;
	if (append(pool, NULL, &tail, &joined) < 0)
		return -SONDE_NOMEM;
	return join(pool, joined, *above, above);
}

static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff && a->prot == b->prot &&
		a->flags == b->flags && a->binary == b->binary;
}

int maps_insert(struct maps_pool *pool, maps_root root, const struct mapping *m, maps_root *out)
{
	const struct mapping *there;
	maps_root below, above;

	if (m->start >= m->end) {
		*out = root;
		return 0;
	}
	there = maps_find(root, m->start);
	if (there && is_same(there, m)) {  /* recorders that say everything again from time to time */
		*out = root;
		return 0;
	}
	if (take_out(pool, root, m->start, m->end, &below, &above) < 0 || append(pool, below, m, &below) < 0)
		return -SONDE_NOMEM;
	return join(pool, below, above, out);
}

int maps_remove(struct maps_pool *pool, maps_root root, uint64_t start, uint64_t end, maps_root *out)
{
	maps_root below, above;

	if (start >= end) {
		*out = root;
		return 0;
	}
	if (take_out(pool, root, start, end, &below, &above) < 0)
		return -SONDE_NOMEM;
	return join(pool, below, above, out);
}

const struct mapping *maps_next(maps_root t, uint64_t addr)
{
	const struct mapping *found = NULL;

	while (t) {
		if (t->m.start >= addr) {
			found = &t->m;
			t = t->left;
		} else {
			t = t->right;
		}
	}
	return found;
}

const struct mapping *maps_before(maps_root t, uint64_t addr)
{
	const struct mapping *found = NULL;

	while (t) {
		if (t->m.start > addr) {
			t = t->left;
		} else {
			found = &t->m;
			t = t->right;
		}
	}
	return found;
}

const struct mapping *maps_find(maps_root t, uint64_t addr)
{
	const struct mapping *found = maps_before(t, addr);

	return found && addr < found->end ? found : NULL;
}

void maps_pool_free(struct maps_pool *pool)
{
	arena_free(&pool->nodes);
}
