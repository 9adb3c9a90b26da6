/* SPDX-License-Identifier: MIT */
/*
 * hybrid.h - Parquet's RLE / bit-packing hybrid: small numbers as runs of one value, or bit-packed in groups of 8
 *
 * Levels of lists and numbers of dictionary entries are stored so. A run is varint(count << 1) and a value of whole
 * bytes; groups are varint(groups << 1 | 1) and their bits, the lowest first.
 */
#ifndef PARQUET_HYBRID_H
#define PARQUET_HYBRID_H

#include "base/buf.h"
#include "base/cursor.h"

/* No value has more than @width bits, at most 32. */
void hybrid_encode(struct buf *to, const uint32_t *values, size_t n, unsigned width);

/* Exactly n values; bits that are left over are ignored. 0, -SONDE_CORRUPT or -SONDE_TRUNCATED. */
int hybrid_decode(struct cursor *from, unsigned width, uint32_t *values, size_t n);

#endif
