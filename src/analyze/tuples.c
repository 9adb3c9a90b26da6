/* SPDX-License-Identifier: MIT */
#include "analyze/tuples.h"

#include <string.h>

uint32_t tuples_number(struct tuples *t, const uint64_t *values)
{
	uint64_t hash = hash_index_seed(&t->index);
	size_t size = t->width * sizeof(*values);
	uint32_t i;

	for (size_t k = 0; k < t->width; k++)
		hash = hash_two(hash, values[k]);
	hash_index_each(&t->index, hash, i)
		if (t->width == 0 || memcmp(t->values.at + i * t->width, values, size) == 0)
			return i;
	if (vec_reserve(&t->values, t->width + 1) < 0 || hash_index_add(&t->index, hash, t->n) < 0)
		return HASH_INDEX_NONE;
	if (t->width)
		memcpy(t->values.at + t->values.n, values, size);
	t->values.n += t->width;
	return t->n++;
}

void tuples_free(struct tuples *t)
{
	vec_free(&t->values);
	hash_index_free(&t->index);
}
