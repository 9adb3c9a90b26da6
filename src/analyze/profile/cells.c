/* SPDX-License-Identifier: MIT */
#include "analyze/profile/cells.h"

/*
 * Without &&: gcc makes one comparison of two members that lie side by side, and loads both at once, which has to wait
 * for the two stores that have just made them. That cost each sample as much as to find its function.
 */
static bool is_same_cell(const struct sonde_profile_cell *a, const struct sonde_profile_cell *b)
{
	return !((a->stack ^ b->stack) | (a->frame ^ b->frame) | (a->task ^ b->task) | (a->event ^ b->event) |
		 (uint32_t)(a->cpu ^ b->cpu) | (a->detail ^ b->detail));
}

static uint64_t hash_cell(struct hash_index *index, const struct sonde_profile_cell *c)
{
	return hash_two(hash_index_seed(index) ^ ((uint64_t)c->stack << 32 | c->frame),
			(uint64_t)c->task << 32 | (c->event << 16 ^ (uint32_t)c->cpu ^ c->detail << 8));
}

uint32_t cells_find(struct gathering *p, const struct sonde_profile_cell *key)
{
	uint64_t hash = hash_cell(&p->cell_index, key);
	uint32_t i;

	hash_index_each(&p->cell_index, hash, i)
		if (is_same_cell(&p->cells.at[i], key))
			return i;
	i = (uint32_t)p->cells.n;
	return vec_push(&p->cells, *key) < 0 || hash_index_add(&p->cell_index, hash, i) < 0 ? HASH_INDEX_NONE : i;
}

int cells_number(struct gathering *p)
{
	cell_memo_forget(&p->memo);
	hash_index_free(&p->cell_index);
	for (uint32_t i = 0; i < p->cells.n; i++)
		if (hash_index_add(&p->cell_index, hash_cell(&p->cell_index, &p->cells.at[i]), i) < 0)
			return -SONDE_NOMEM;
	return 0;
}
