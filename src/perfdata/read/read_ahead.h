/* SPDX-License-Identifier: MIT */
/* read_ahead.h - the next bytes of a file, read by the reader's other thread while those before are looked at */
#ifndef PERFDATA_READ_READ_AHEAD_H
#define PERFDATA_READ_READ_AHEAD_H

#include "model/reader.h"
#include "perfdata/read/block.h"

/* Room before the bytes, for the begin of the record that they continue. */
#define READ_AHEAD_ROOM ((size_t)16 * 1024)

/* {0}: nothing is read. */
struct read_ahead {
	struct job job;              /* first, so that a pointer to it is a pointer to this */
	struct block_memory *memory; /* NULL: nothing is read */
	int fd;
	uint64_t at;                 /* of the file */
	size_t size;
	int64_t got;                 /* negative: it failed, and will fail again for whoever reads there */
};

/* Begins to read at @at, up to @limit. */
void read_ahead_begin(struct read_ahead *a, struct reader *r, struct blocks *blocks, int fd, uint64_t at,
		      uint64_t limit);

/*
 * The block that was read ahead at offset @at, for the caller to free; NULL: none was, so the caller reads it.
 */
struct block_memory *read_ahead_take(struct read_ahead *a, struct reader *r, struct blocks *blocks, uint64_t at);

/* Forgets the bytes that were read ahead. */
void read_ahead_drop(struct read_ahead *a, struct reader *r, struct blocks *blocks);

#endif
