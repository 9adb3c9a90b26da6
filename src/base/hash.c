/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include "base/bytes.h"
#include "base/wide.h"

uint64_t hash_bytes(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t h = n * UINT64_C(0x9e3779b97f4a7c15), tail = 0;

	for (; n >= 8; b += 8, n -= 8) {
		h = (h ^ load_u64(b, false)) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 35;
	}
	if (n)
		memcpy(&tail, b, n);
	return hash_u64(h ^ tail);
}

/* Both halves of the product: a difference in h that leaves one of them as it was changes the other. */
static uint64_t fold(uint64_t h, uint64_t factor)
{
	struct wide product = wide_mul(h, factor);

	return product.high ^ product.low;
}

uint64_t hash_bytes_seeded(uint64_t seed, const void *p, size_t n)
{
	uint64_t h = seed ^ n, factor = hash_u64(seed) | 1, tail = 0;
	const uint8_t *b = p;

	for (; n >= 8; b += 8, n -= 8)
		h = fold(h ^ load_u64(b, false), factor);
	if (n)
		memcpy(&tail, b, n);
	return hash_u64(fold(h ^ tail, factor));
}
