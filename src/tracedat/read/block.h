/* SPDX-License-Identifier: MIT */
/* block.h - the memory that records lie in: pages as they are in the file, or decompressed chunks */
#ifndef TRACEDAT_READ_BLOCK_H
#define TRACEDAT_READ_BLOCK_H

#include "base/err.h"

struct tracedat;

/* A block of memory that records point into: pages of an extent as they lie in the file, or a chunk
 * that was decompressed. */
struct dat_block {
	const uint8_t *data;
	size_t size;
	uint8_t *owned;              /* memory to free; NULL for memory of the input */
	size_t cap;
	uint64_t file_offset;        /* of data[0] */
	/* it was decompressed: file_offset is that of the compressed bytes, for all its records */
	bool packed;
	uint32_t extent;
	uint32_t pins;
	bool held;                   /* by a stream, which reads it */
};

#define BLOCK_NONE UINT32_MAX

/* A new block; its number, or BLOCK_NONE when out of memory. @owned is taken over then too. */
uint32_t dat_block_new(struct tracedat *f, struct dat_block p);
/* Frees the block when nothing needs it any more. */
void dat_block_release(struct tracedat *f, uint32_t number);

#endif
