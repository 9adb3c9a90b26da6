/* SPDX-License-Identifier: MIT */
/*
 * block.h - the memory that records lie in
 *
 * A block is a range of bytes of the file. Several blocks can share one allocation; a block of a mapped file needs
 * none. A block lives while it is pinned: by the walk that is in it, or by references to its records. So memory holds
 * what is still looked at, not the file.
 */
#ifndef PERFDATA_READ_BLOCK_H
#define PERFDATA_READ_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * Bytes that are read at once. They fit into the second level cache, so that records are still there when they are
 * looked at. A file of some megabytes is read in smaller blocks: with those of two rounds, and one that is read ahead,
 * they would be most of the memory that it takes.
 */
#define BLOCK_BYTES_LEAST ((size_t)128 * 1024)
#define BLOCK_BYTES_MOST  ((size_t)256 * 1024)
#define BLOCKS_OF_A_FILE  256

struct block_memory {
	size_t used, cap;
	uint32_t blocks;             /* in it */
	struct block_memory *next_spare;
	uint8_t data[];
};

struct block {
	const uint8_t *data;
	struct block_memory *memory; /* NULL: memory that stays */
	uint64_t file_offset;        /* of data[0]; of the compressed record, if that is where the bytes were */
	uint32_t pins;               /* 0: the slot is free */
	uint16_t part;               /* which file of a directory */
	bool unpacked;               /* came out of a compressed record */
};

struct blocks {
	size_t usual_bytes;          /* of a block */
	VEC(struct block) list;      /* the index of a block does not change */
	VEC(uint32_t) unused;        /* slots */
	struct block_memory *spare;  /* memory to be used again */
	size_t nr_spare;
	uint64_t held_bytes;         /* of memory that is in use */
};

/* The usual size of blocks of a file of `size_bytes`; SONDE_NONE: a stream */
void blocks_init(struct blocks *c, uint64_t size_bytes);

/*
 * Memory with room for `cap` bytes or more, the usual size at least; it is freed with the last block in it. NULL when
 * out of memory.
 */
struct block_memory *block_memory_new(struct blocks *c, size_t cap);

/* Frees memory that no block is in. */
void block_memory_drop(struct blocks *c, struct block_memory *b);

/* Adds a block, pinned once; 0 or -SONDE_NOMEM */
int block_add(struct blocks *c, struct block block, uint32_t *index);

static inline void block_pin(struct blocks *c, uint32_t index)
{
	c->list.at[index].pins++;
}

void block_release(struct blocks *c, uint32_t index);

static inline void block_unpin(struct blocks *c, uint32_t index)
{
	if (--c->list.at[index].pins == 0)
		block_release(c, index);
}

/* True when only the caller has the block and its memory, so that the memory can be used anew. */
static inline bool block_is_alone(const struct blocks *c, uint32_t index)
{
	const struct block *block = &c->list.at[index];

	return block->memory && block->pins == 1 && block->memory->blocks == 1;
}

/* Gives back the memory that is kept to be used again. */
void blocks_drop_spare(struct blocks *c);

void blocks_free(struct blocks *c);

#endif
