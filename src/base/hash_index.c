/* SPDX-License-Identifier: MIT */
#include "base/hash_index.h"

#include <string.h>
#include <sys/auxv.h>

#include "base/zeros.h"

/* The kernel gives each process 16 random bytes (AT_RANDOM, getauxval(3)); the address makes the seeds of
 * one process differ. */
uint64_t hash_index_choose_seed(struct hash_index *x)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t words[2] = { 0 };

	if (random)
		memcpy(words, random, sizeof(words));
	x->seed = hash_two(words[0] ^ (uintptr_t)x, words[1]) | 1;
	return x->seed;
}

static void put(struct hash_index *x, struct hash_slot slot)
{
	size_t at = slot.hash & (x->cap - 1);

	while (x->slots[at].number_1)
		at = (at + 1) & (x->cap - 1);
	x->slots[at] = slot;
}

static int grow(struct hash_index *x)
{
	struct hash_index bigger = { .n = x->n, .cap = x->cap ? x->cap * 2 : 64, .seed = x->seed };

	bigger.slots = zeros_alloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < x->cap; i++)
		if (x->slots[i].number_1)
			put(&bigger, x->slots[i]);
	free(x->slots);
	*x = bigger;
	return 0;
}

int hash_index_add(struct hash_index *x, uint64_t hash, uint32_t number)
{
	if (number >= UINT32_MAX - 1 || (x->n + 1 > x->cap / 2 && grow(x) < 0))
		return -SONDE_NOMEM;
	put(x, (struct hash_slot){ (uint32_t)hash, number + 1 });
	x->n++;
	return 0;
}

void hash_index_free(struct hash_index *x)
{
	free(x->slots);
	*x = (struct hash_index){ 0 };
}
