/* SPDX-License-Identifier: MIT */
/* digits.h - integers as text, written from the last digit to the first */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 24   /* of any 64-bit integer in octal or a wider base */

/* Each writes the digits of v so that they end before `end`, where DIGITS_MAX bytes are free, and returns the first. */
static inline char *digits_decimal(char *end, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char *p = end;

	for (; v >= 100; v /= 100)
		memcpy(p -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(p -= 2, pairs + v * 2, 2);
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

#endif
