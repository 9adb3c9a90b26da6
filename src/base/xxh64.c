/* SPDX-License-Identifier: MIT */
#include "base/xxh64.h"

#include "base/bytes.h"

#define PRIME1 UINT64_C(0x9e3779b185ebca87)
#define PRIME2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME3 UINT64_C(0x165667b19e3779f9)
#define PRIME4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME5 UINT64_C(0x27d4eb2f165667c5)

enum { SUMS = 4, STRIPE = 8 * SUMS };

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t load64(const uint8_t *p)
{
	return load_u64(p, host_is_big_endian());
}

static uint64_t round_of(uint64_t sum, uint64_t input)
{
	return rotate(sum + input * PRIME2, 31) * PRIME1;
}

/* The stripes of 32 bytes; *p: after the last one. */
static uint64_t hash_stripes(const uint8_t **p, size_t n)
{
	uint64_t sums[SUMS] = { PRIME1 + PRIME2, PRIME2, 0, 0 - PRIME1 }, hash;

	for (; n >= STRIPE; n -= STRIPE, *p += STRIPE)
		for (int i = 0; i < SUMS; i++)
			sums[i] = round_of(sums[i], load64(*p + 8 * i));
	hash = rotate(sums[0], 1) + rotate(sums[1], 7) + rotate(sums[2], 12) + rotate(sums[3], 18);
	for (int i = 0; i < SUMS; i++)
		hash = (hash ^ round_of(0, sums[i])) * PRIME1 + PRIME4;
	return hash;
}

uint64_t xxh64(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t hash = (n >= STRIPE ? hash_stripes(&p, n) : PRIME5) + n;

	n %= STRIPE;
	for (; n >= 8; n -= 8, p += 8)
		hash = rotate(hash ^ round_of(0, load64(p)), 27) * PRIME1 + PRIME4;
	for (; n >= 4; n -= 4, p += 4)
		hash = rotate(hash ^ load_u32(p, host_is_big_endian()) * PRIME1, 23) * PRIME2 + PRIME3;
	for (; n; n--, p++)
		hash = rotate(hash ^ *p * PRIME5, 11) * PRIME1;
	hash = (hash ^ hash >> 33) * PRIME2;
	hash = (hash ^ hash >> 29) * PRIME3;
	return hash ^ hash >> 32;
}
