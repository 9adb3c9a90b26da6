/* SPDX-License-Identifier: MIT */
/* digits.h - integers as text, written from the last digit to the first */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#define DIGITS_MAX 24   /* of any 64-bit integer in octal or a wider base */

static const char digits_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				   "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				   "8081828384858687888990919293949596979899";

/* Each writes the digits of v so that they end before `end`, where DIGITS_MAX bytes are free, and returns the first. */
static inline char *digits_decimal(char *end, uint64_t v)
{
	char *p = end;

	for (; v >= 100; v /= 100)
		memcpy(p -= 2, digits_pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(p -= 2, digits_pairs + v * 2, 2);
	else
		*--p = (char)('0' + v);
	return p;
}

static inline char *digits_hex(char *end, uint64_t v)
{
	char *p = end;

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return p;
}

static inline unsigned digits_decimal_count(uint64_t v)
{
	static const uint64_t powers[] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
		1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, UINT64_C(10000000000000000000),
	};
	unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1), n = bits * 1233 >> 12;   /* log10(2) is 1233 / 4096 */

	n += v >= powers[n];
	return n ? n : 1;
}

/* The forward forms write to `to`, where DIGITS_MAX bytes are free (all may be overwritten), and return the end. */
static inline char *digits_put_decimal(char *to, uint64_t v)
{
	if (v < 10) {
		*to = (char)('0' + v);
		return to + 1;
	}
	to += digits_decimal_count(v);
	digits_decimal(to, v);
	return to;
}

/* Six digits of v, which is below 1000000. */
static inline char *digits_put_six(char *to, uint32_t v)
{
	uint32_t high = v / 10000, low = v - high * 10000;

	memcpy(to, digits_pairs + high * 2, 2);
	memcpy(to + 2, digits_pairs + low / 100 * 2, 2);
	memcpy(to + 4, digits_pairs + low % 100 * 2, 2);
	return to + 6;
}

/* Three digits of v, which is below 1000. */
static inline char *digits_put_three(char *to, uint32_t v)
{
	*to = (char)('0' + v / 100);
	memcpy(to + 1, digits_pairs + v % 100 * 2, 2);
	return to + 3;
}

/* Sixteen hex digits: each nibble becomes a byte. */
#ifdef __x86_64__
static inline void digits_hex16(char *to, uint64_t v)
{
	const __m128i nibble = _mm_set1_epi8(15);
	__m128i x = _mm_cvtsi64_si128((long long)__builtin_bswap64(v)), letters;

	x = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(x, 4), nibble), _mm_and_si128(x, nibble));
	letters = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8(9)), _mm_set1_epi8('a' - '0' - 10));
	_mm_storeu_si128((__m128i *)to, _mm_add_epi8(_mm_add_epi8(x, _mm_set1_epi8('0')), letters));
}
#else
static inline uint64_t digits_hex8(uint32_t v)
{
	uint64_t x = ((uint64_t)(v & 0xffff0000) << 16) | (v & 0xffff), letters;

	x = (x << 8 | x) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x << 4 | x) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (x + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	x += UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

static inline void digits_hex16(char *to, uint64_t v)
{
	uint64_t high = digits_hex8((uint32_t)(v >> 32)), low = digits_hex8((uint32_t)v);

	memcpy(to, &high, 8);
	memcpy(to + 8, &low, 8);
}
#endif

/* With at least @digits of them, 16 at most, the first ones zeros. */
static inline char *digits_put_hex_zero(char *to, uint64_t v, unsigned digits)
{
	unsigned n = (67 - (unsigned)__builtin_clzll(v | 1)) / 4;

	if (n < digits)
		n = digits;
	digits_hex16(to, v << (64 - 4 * n));
	return to + n;
}

static inline char *digits_put_hex(char *to, uint64_t v)
{
	return digits_put_hex_zero(to, v, 1);
}

#endif
