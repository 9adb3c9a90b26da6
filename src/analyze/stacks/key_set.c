/* SPDX-License-Identifier: MIT */
#include "analyze/stacks/key_set.h"

#include <string.h>

uint32_t key_set_number(struct key_set *k, const uint64_t *values)
{
	uint64_t hash = hash_index_seed(&k->index);
	size_t size = k->width * sizeof(*values);
	uint32_t i;

	for (size_t n = 0; n < k->width; n++)
		hash = hash_two(hash, values[n]);
	hash_index_each(&k->index, hash, i)
		if (k->width == 0 || memcmp(k->values.at + i * k->width, values, size) == 0)
			return i;
	if (vec_reserve(&k->values, k->width + 1) < 0 || hash_index_add(&k->index, hash, k->n) < 0)
		return HASH_INDEX_NONE;
	if (k->width)
		memcpy(k->values.at + k->values.n, values, size);
	k->values.n += k->width;
	return k->n++;
}

void key_set_free(struct key_set *k)
{
	vec_free(&k->values);
	hash_index_free(&k->index);
}
