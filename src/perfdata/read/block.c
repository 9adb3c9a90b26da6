/* SPDX-License-Identifier: MIT */
#include "perfdata/read/block.h"

#include <sonde/types.h>

/* Ordering by time takes and gives back the blocks of a round: memory that the kernel need not clear each time. */
#define MAX_SPARE 32

void blocks_init(struct blocks *c, uint64_t size_bytes)
{
	uint64_t bytes = size_bytes / BLOCKS_OF_A_FILE;

	*c = (struct blocks){ .usual_bytes = BLOCK_BYTES_MOST };
	if (bytes < BLOCK_BYTES_MOST)
		c->usual_bytes = bytes > BLOCK_BYTES_LEAST ? (size_t)bytes : BLOCK_BYTES_LEAST;
}

struct block_memory *block_memory_new(struct blocks *c, size_t cap)
{
	struct block_memory *b = c->spare;

	if (cap < c->usual_bytes)
		cap = c->usual_bytes;
	if (cap == c->usual_bytes && b) {
		c->spare = b->next_spare;
		c->nr_spare--;
	} else {
		b = malloc(sizeof(*b) + cap);
	}
	if (b) {
		b->used = 0;
		b->cap = cap;
		c->held_bytes += cap;
		b->blocks = 0;
	}
	return b;
}

void block_memory_drop(struct blocks *c, struct block_memory *b)
{
	c->held_bytes -= b->cap;
	if (b->cap != c->usual_bytes || c->nr_spare == MAX_SPARE) {
		free(b);
		return;
	}
	b->next_spare = c->spare;
	c->spare = b;
	c->nr_spare++;
}

int block_add(struct blocks *c, struct block block, uint32_t *index)
{
	/* so that giving the slot back cannot fail */
	if (c->unused.n == 0 && (vec_reserve(&c->list, 1) < 0 || vec_reserve(&c->unused, c->list.n + 1) < 0))
		return -SONDE_NOMEM;
	*index = c->unused.n ? c->unused.at[--c->unused.n] : (uint32_t)c->list.n++;
	block.pins = 1;
	if (block.memory)
		block.memory->blocks++;
	c->list.at[*index] = block;
	return 0;
}

void block_release(struct blocks *c, uint32_t index)
{
	struct block_memory *b = c->list.at[index].memory;

	if (b && --b->blocks == 0)
		block_memory_drop(c, b);
	c->list.at[index].data = NULL;
	c->list.at[index].memory = NULL;
	c->unused.at[c->unused.n++] = index;
}

void blocks_drop_spare(struct blocks *c)
{
	struct block_memory *b, *next;

	for (b = c->spare; b; b = next) {
		next = b->next_spare;
		free(b);
	}
	c->spare = NULL;
	c->nr_spare = 0;
}

void blocks_free(struct blocks *c)
{
	struct block_memory *b;

	for (size_t i = 0; i < c->list.n; i++) {
		b = c->list.at[i].memory;
		if (b && --b->blocks == 0)
			free(b);
	}
	blocks_drop_spare(c);
	vec_free(&c->list);
	vec_free(&c->unused);
}
