/* SPDX-License-Identifier: MIT */
/*
 * delta.h - DELTA_BINARY_PACKED: the differences of neighbours, bit-packed in blocks
 *
 * Varints: values of a block, miniblocks of a block, number of values, zigzag of the first one; for each block the
 * zigzag of its smallest difference, a byte for the width of each miniblock, and their bits. Arithmetic wraps.
 */
#ifndef PARQUET_DELTA_H
#define PARQUET_DELTA_H

#include "base/buf.h"
#include "base/cursor.h"

void delta_encode(struct buf *to, const int64_t *values, size_t n);

/* Exactly n values. 0, -SONDE_CORRUPT or -SONDE_TRUNCATED. */
int delta_decode(struct cursor *from, int64_t *values, size_t n);

#endif
