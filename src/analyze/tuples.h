/* SPDX-License-Identifier: MIT */
/* tuples.h - rows of numbers, each once: what several keys tell apart becomes one number. */
#ifndef ANALYZE_TUPLES_H
#define ANALYZE_TUPLES_H

#include "base/hash_index.h"
#include "base/vec.h"

enum { TUPLE_MAX = 24 };

struct tuples {
	VEC(uint64_t) values;        /* width of them for each */
	size_t width;                /* at most TUPLE_MAX */
	uint32_t n;
	struct hash_index index;
};

/* The number of width values; HASH_INDEX_NONE when out of memory. */
uint32_t tuples_number(struct tuples *t, const uint64_t *values);

void tuples_free(struct tuples *t);

#endif
