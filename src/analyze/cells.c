/* SPDX-License-Identifier: MIT */
#include "analyze/cells.h"

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

static uint32_t intern_cell(struct sonde_profile *p, const struct sonde_profile_cell *key)
{
	uint64_t hash = hash_cell(&p->cell_index, key);
	uint32_t i;

	hash_index_each(&p->cell_index, hash, i)
		if (is_same_cell(&p->cells.at[i], key))
			return i;
	i = (uint32_t)p->cells.n;
	return vec_push(&p->cells, *key) < 0 || hash_index_add(&p->cell_index, hash, i) < 0 ? HASH_INDEX_NONE : i;
}

void cells_forget(struct sonde_profile *p)
{
	free(p->cell_slots);
	p->cell_slots = NULL;
}

int cells_number(struct sonde_profile *p)
{
	cells_forget(p);
	p->last_cell_of_stack.n = p->last_cell_of_frame.n = 0;
	hash_index_free(&p->cell_index);
	for (uint32_t i = 0; i < p->cells.n; i++)
		if (hash_index_add(&p->cell_index, hash_cell(&p->cell_index, &p->cells.at[i]), i) < 0)
			return -SONDE_NOMEM;
	return 0;
}

/* Where the cell last used for a stack, or without one for a function, is noted; NULL when out of memory. */
static uint32_t *last_cell(struct sonde_profile *p, const struct sonde_profile_cell *key)
{
	while (key->stack && p->last_cell_of_stack.n <= key->stack)
		if (vec_push(&p->last_cell_of_stack, 0) < 0)
			return NULL;
	if (key->stack)
		return &p->last_cell_of_stack.at[key->stack];
	while (p->last_cell_of_frame.n <= key->frame)
		if (vec_push(&p->last_cell_of_frame, 0) < 0)
			return NULL;
	return &p->last_cell_of_frame.at[key->frame];
}

uint32_t cells_find(struct sonde_profile *p, const struct sonde_profile_cell *key)
{
	uint32_t *last = last_cell(p, key), i;

	if (!last)
		return HASH_INDEX_NONE;
	if (!*last || !is_same_cell(&p->cells.at[*last - 1], key)) {
		i = intern_cell(p, key);
		if (i == HASH_INDEX_NONE)
			return i;
		*last = i + 1;
	}
	return *last - 1;
}
