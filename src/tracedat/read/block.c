/* SPDX-License-Identifier: MIT */
/* block.c - blocks of memory that records lie in */
#include "tracedat/read/tracedat.h"

uint32_t dat_block_new(struct tracedat *f, struct dat_block p)
{
	uint32_t number;

	if (f->free_blocks.n) {
		number = f->free_blocks.at[--f->free_blocks.n];
		f->blocks.at[number] = p;
		return number;
	}
	/* the place where its number will go when it is free is made now: releasing cannot fail */
	if (f->blocks.n >= BLOCK_NONE || vec_push(&f->blocks, p) < 0) {
		free(p.owned);
		return BLOCK_NONE;
	}
	if (vec_reserve(&f->free_blocks, f->blocks.n) < 0) {
		f->blocks.n--;
		free(p.owned);
		return BLOCK_NONE;
	}
	return (uint32_t)(f->blocks.n - 1);
}

void dat_block_release(struct tracedat *f, uint32_t number)
{
	struct dat_block *p = &f->blocks.at[number];

	if (p->pins || p->held)
		return;
	free(p->owned);
	*p = (struct dat_block){ 0 };
	f->free_blocks.at[f->free_blocks.n++] = number;
}
