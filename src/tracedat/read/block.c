/* SPDX-License-Identifier: MIT */
/* block.c - blocks of memory that records lie in */
#include "tracedat/read/tracedat.h"

/* One more block; the place where its number will go when it is free is made now: releasing cannot fail. */
static uint32_t add_free(struct tracedat *f)
{
	struct dat_block *block;

	if (f->blocks.n >= BLOCK_NONE || vec_reserve(&f->blocks, 1) < 0 ||
	    vec_reserve(&f->free_blocks, f->blocks.n + 1) < 0)
		return BLOCK_NONE;
	block = malloc(sizeof(*block));
	if (!block)
		return BLOCK_NONE;
	f->blocks.at[f->blocks.n] = block;
	return (uint32_t)f->blocks.n++;
}

uint32_t dat_block_new(struct tracedat *f, struct dat_block p)
{
	uint32_t number;

	if (f->free_blocks.n) {
		number = f->free_blocks.at[--f->free_blocks.n];
	} else {
		number = add_free(f);
		if (number == BLOCK_NONE) {
			free(p.owned);
			return BLOCK_NONE;
		}
	}
	*f->blocks.at[number] = p;
	return number;
}

void dat_block_release(struct tracedat *f, uint32_t number)
{
	struct dat_block *p = f->blocks.at[number];

	if (p->pins || p->held)
		return;
	free(p->owned);
	*p = (struct dat_block){ 0 };
	f->free_blocks.at[f->free_blocks.n++] = number;
}
