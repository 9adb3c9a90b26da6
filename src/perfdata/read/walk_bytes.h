/* SPDX-License-Identifier: MIT */
/* walk_bytes.h - bytes for a walk: from memory as they are, from a file or a stream block by block */
#ifndef PERFDATA_READ_WALK_BYTES_H
#define PERFDATA_READ_WALK_BYTES_H

#include "perfdata/read/walk.h"

/* Puts the walk at the first record of its part. */
int walk_begin(struct walk *w, struct sonde_error *err);

/*
 * Moves the bytes at hand to the start of a block, the same one if nobody else looks into it, so that more can follow:
 * block @c.
 */
int walk_make_room(struct walk_bytes *b, struct block c, struct sonde_error *err);

/* Passes over n bytes of the file that need not be at hand together: how many there were, or negative. */
int64_t walk_skip(struct walk *w, uint64_t n, struct sonde_error *err);

#endif
