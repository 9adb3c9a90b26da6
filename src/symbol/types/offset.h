/* SPDX-License-Identifier: MIT */
/* offset.h - distances that files tell: whatever they are, sums wrap around. */
#ifndef SYMBOL_TYPES_OFFSET_H
#define SYMBOL_TYPES_OFFSET_H

#include <stdint.h>

static inline int64_t offset_sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t offset_difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
