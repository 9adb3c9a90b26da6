/* SPDX-License-Identifier: MIT */
/*
 * hash_index.h - numbers of items by the hash of their key; the items are in an array of the user's
 *
 *	uint64_t hash = hash_u64(hash_index_seed(x) ^ key);
 *
 *	hash_index_each(x, hash, i)
 *		if (items[i] is the one)
 *			return i;
 *	hash_index_add(x, hash, nr_items);
 *
 * Keys come from files that an attacker may have written. Each index hashes with a random seed of its own, so nobody
 * can choose keys that collide. The numbers do not depend on the seed.
 */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"

#define HASH_INDEX_NONE UINT32_MAX

/* {0} is an empty index. */
struct hash_index {
	struct hash_slot { uint32_t hash, number_1; } *slots;  /* number_1: of the item plus 1; 0: free */
	size_t n, cap;               /* cap is a power of two or 0 */
	uint64_t seed;               /* 0: not chosen yet */
};

uint64_t hash_index_choose_seed(struct hash_index *x);

/* The number that every hash of this index begins with; never 0. */
static inline uint64_t hash_index_seed(struct hash_index *x)
{
	return x->seed ? x->seed : hash_index_choose_seed(x);
}

static inline size_t hash_index_start(const struct hash_index *x, uint64_t hash)
{
	return x->cap ? (uint32_t)hash & (x->cap - 1) : 0;
}

static inline uint32_t hash_index_next(const struct hash_index *x, uint64_t hash, size_t *at)
{
	const struct hash_slot *s;

	if (!x->cap)
		return HASH_INDEX_NONE;
	for (; (s = &x->slots[*at])->number_1; *at = (*at + 1) & (x->cap - 1))
		if (s->hash == (uint32_t)hash) {
			*at = (*at + 1) & (x->cap - 1);
			return s->number_1 - 1;
		}
	return HASH_INDEX_NONE;
}

/* i goes through the numbers of the items that may have a key of this hash. */
#define hash_index_each(x, hash, i) \
	for (size_t slot_ = hash_index_start(x, hash); ((i) = hash_index_next(x, hash, &slot_)) != HASH_INDEX_NONE;)

/* 0 or -SONDE_NOMEM */
int hash_index_add(struct hash_index *x, uint64_t hash, uint32_t number);

void hash_index_free(struct hash_index *x);

#endif
