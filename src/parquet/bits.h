/* SPDX-License-Identifier: MIT */
/* bits.h - numbers of 0 to 64 bits one after the other, the lowest bit first */
#ifndef PARQUET_BITS_H
#define PARQUET_BITS_H

#include "base/bytes.h"

/* The bits that a number takes. */
static inline unsigned bits_width(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

struct bit_writer {
	uint8_t *p;
	uint64_t word;               /* of which `fill` bits are set, fewer than 64 */
	unsigned fill;
};

/* v has no bit above its width. */
static inline void bits_put(struct bit_writer *b, uint64_t v, unsigned width)
{
	b->word |= v << b->fill;
	if (b->fill + width < 64) {
		b->fill += width;
		return;
	}
	store_u64(b->p, b->word, host_is_big_endian());
	b->p += 8;
	b->word = b->fill ? v >> (64 - b->fill) : 0;
	b->fill = b->fill + width - 64;
}

/* Writes the last bits; zeros fill their byte. */
static inline void bits_end(struct bit_writer *b)
{
	for (; b->fill; b->fill -= b->fill < 8 ? b->fill : 8, b->word >>= 8)
		*b->p++ = (uint8_t)b->word;
}

struct bit_reader {
	const uint8_t *p, *end;
	uint64_t word;               /* of which `fill` bits have not been read, fewer than 64 */
	unsigned fill;
};

static inline struct bit_reader bits_read(const uint8_t *p, uint64_t n)
{
	return (struct bit_reader){ .p = p, .end = p + n };
}

/* The next 8 bytes; zeros beyond the end. */
static inline uint64_t bits_load(struct bit_reader *b)
{
	uint64_t v = 0;
	size_t left = (size_t)(b->end - b->p);

	if (left >= 8) {
		v = load_u64(b->p, host_is_big_endian());
		b->p += 8;
		return v;
	}
	for (unsigned shift = 0; b->p < b->end; shift += 8)
		v |= (uint64_t)*b->p++ << shift;
	return v;
}

/* The caller has compared the number of bits with the bytes that are left. */
static inline uint64_t bits_get(struct bit_reader *b, unsigned width)
{
	uint64_t v = b->word, mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	unsigned taken;

	if (b->fill >= width) {
		b->word >>= width;   /* width < 64: the fill is */
		b->fill -= width;
		return v & mask;
	}
	taken = width - b->fill;
	b->word = bits_load(b);
	v |= b->word << b->fill;
	b->word = taken < 64 ? b->word >> taken : 0;
	b->fill = 64 - taken;
	return v & mask;
}

#endif
