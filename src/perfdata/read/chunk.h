/* SPDX-License-Identifier: MIT */
/*
 * chunk.h - the memory that records lie in
 *
 * A chunk is a stretch of bytes with a place in the file. Its memory is a block, which several chunks can share, or
 * memory that stays anyhow. A chunk lives while somebody has it pinned: a walk that is in it, or whoever keeps
 * references to its records. So what is in memory is what somebody still looks at, not the file.
 */
#ifndef PERFDATA_READ_CHUNK_H
#define PERFDATA_READ_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* What is read at once. Fits into the second level cache, so that records are still there when they are looked at. */
#define BLOCK_BYTES ((size_t)256 * 1024)

struct block {
	size_t used, cap;
	uint32_t chunks;             /* in it */
	struct block *next_spare;
	uint8_t data[];
};

struct chunk {
	const uint8_t *data;
	struct block *block;         /* NULL: memory that stays */
	uint64_t file_offset;        /* of data[0]; of the compressed record, if that is where the bytes were */
	uint32_t pins;               /* 0: the slot is free */
	uint16_t part;               /* which file of a directory */
	bool unpacked;               /* came out of a compressed record */
};

struct chunks {
	VEC(struct chunk) list;      /* the index of a chunk does not change */
	VEC(uint32_t) unused;        /* slots */
	struct block *spare;         /* blocks to be used again */
	size_t nr_spare;
	uint64_t held_bytes;         /* of blocks that are in use */
};

/* A block with room for `cap` bytes or more; it goes with the last chunk in it. NULL when out of memory. */
struct block *block_new(struct chunks *c, size_t cap);

/* Frees a block that no chunk is in. */
void block_drop(struct chunks *c, struct block *b);

/* Adds a chunk, pinned once; 0 or -SONDE_NOMEM */
int chunk_add(struct chunks *c, struct chunk chunk, uint32_t *index);

static inline void chunk_pin(struct chunks *c, uint32_t index)
{
	c->list.at[index].pins++;
}

void chunk_release(struct chunks *c, uint32_t index);

static inline void chunk_unpin(struct chunks *c, uint32_t index)
{
	if (--c->list.at[index].pins == 0)
		chunk_release(c, index);
}

/* True when nobody but the one who asks has the chunk and its block, so that the memory can be used anew. */
static inline bool chunk_is_alone(const struct chunks *c, uint32_t index)
{
	const struct chunk *chunk = &c->list.at[index];

	return chunk->block && chunk->pins == 1 && chunk->block->chunks == 1;
}

void chunks_free(struct chunks *c);

#endif
