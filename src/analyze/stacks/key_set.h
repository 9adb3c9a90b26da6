/* SPDX-License-Identifier: MIT */
/* key_set.h - one number for each combination of the values of several keys. */
#ifndef ANALYZE_STACKS_KEY_SET_H
#define ANALYZE_STACKS_KEY_SET_H

#include "base/hash_index.h"
#include "base/vec.h"

enum { KEY_SET_WIDTH = 24 };

struct key_set {
	VEC(uint64_t) values;        /* `width` of them for each combination */
	size_t width;                /* at most KEY_SET_WIDTH */
	uint32_t n;                  /* combinations */
	struct hash_index index;
};

/* The number of a combination of `width` values, from 0; HASH_INDEX_NONE when out of memory. */
uint32_t key_set_number(struct key_set *k, const uint64_t *values);

void key_set_free(struct key_set *k);

#endif
