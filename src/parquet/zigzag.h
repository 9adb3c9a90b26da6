/* SPDX-License-Identifier: MIT */
/* zigzag.h - signed numbers as unsigned ones for short varints, those near zero first: 0, -1, 1, -2 ... */
#ifndef PARQUET_ZIGZAG_H
#define PARQUET_ZIGZAG_H

#include <stdint.h>

static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

#endif
