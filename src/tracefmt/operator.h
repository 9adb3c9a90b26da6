/* SPDX-License-Identifier: MIT */
/* operator.h - the operators of C on integers, as print formats and filters use them; OPERATOR() is in token.h */
#ifndef TRACEFMT_OPERATOR_H
#define TRACEFMT_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

/* How strongly a binary operator binds, 1 for '||' up to OPERATOR_PRODUCT for '*'; 0: it is none. */
enum { OPERATOR_LOGICAL = 2, OPERATOR_EQUAL = 6, OPERATOR_LESS = 7, OPERATOR_SHIFT = 8, OPERATOR_PRODUCT = 10 };
int operator_rank(uint32_t op);

/* The result of a C operator on integers of one type; what C leaves undefined is 0, or for shifts what a CPU does. */
uint64_t operator_result(uint32_t op, uint64_t a, uint64_t b, bool is_signed);

/* v as an integer of size bytes, extended to 64 bits as its sign says */
static inline uint64_t narrow_integer(uint64_t v, uint8_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

#endif
