/* SPDX-License-Identifier: MIT */
/*
 * wide.h - products of two 64-bit numbers, on machines with and without a type for them
 */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

struct wide {
	uint64_t high, low;
};

static inline struct wide wide_mul(uint64_t a, uint64_t b)
{
	uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
	uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;

	return (struct wide){ a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)(a0 * b0) };
}

/* The lowest 64 bits of a * b >> shift; shift is below 64. */
static inline uint64_t wide_mul_shift(uint64_t a, uint64_t b, unsigned shift)
{
	struct wide product = wide_mul(a, b);

	return shift ? product.high << (64 - shift) | product.low >> shift : product.low;
}

/* a * b / c, rounded down, and what is left of it; false when the quotient does not fit. */
static inline bool wide_mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t *quotient, uint64_t *left)
{
	struct wide rest = wide_mul(a, b);

	if (rest.high >= c)
		return false;
	*quotient = 0;
	for (int bit = 63; bit >= 0; bit--) {
		bool over = rest.high >> 63;

		rest.high = rest.high << 1 | rest.low >> 63;
		rest.low <<= 1;
		if (over || rest.high >= c) {
			rest.high -= c;
			*quotient |= UINT64_C(1) << bit;
		}
	}
	*left = rest.high;
	return true;
}

#endif
