/* SPDX-License-Identifier: MIT */
/*
 * intern.h - numbers of items by their hash; the items are in an array of the user's
 *
 *	for (at = intern_start(t, hash); (i = intern_next(t, hash, &at)) != INTERN_NONE;)
 *		if (items[i] is the one)
 *			return i;
 *	intern_add(t, hash, nr_items);
 */
#ifndef ANALYZE_INTERN_H
#define ANALYZE_INTERN_H

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"

#define INTERN_NONE UINT32_MAX

struct intern {
	struct intern_slot { uint32_t hash, number_1; } *slots;  /* number_1: of the item plus 1; 0: free */
	size_t n, cap;               /* cap is a power of two or 0 */
};

static inline size_t intern_start(const struct intern *t, uint64_t hash)
{
	return t->cap ? (uint32_t)hash & (t->cap - 1) : 0;
}

static inline uint32_t intern_next(const struct intern *t, uint64_t hash, size_t *at)
{
	const struct intern_slot *s;

	if (!t->cap)
		return INTERN_NONE;
	for (; (s = &t->slots[*at])->number_1; *at = (*at + 1) & (t->cap - 1))
		if (s->hash == (uint32_t)hash) {
			*at = (*at + 1) & (t->cap - 1);
			return s->number_1 - 1;
		}
	return INTERN_NONE;
}

/* 0 or -SONDE_NOMEM */
int intern_add(struct intern *t, uint64_t hash, uint32_t number);

void intern_free(struct intern *t);

#endif
