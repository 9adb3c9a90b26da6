/* SPDX-License-Identifier: MIT */
/* hash.h - hash functions. Tables of keys from a file begin every hash with a random seed: hash_index.h, u64map.h. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mixes all bits of x (the finaliser of MurmurHash3, by Austin Appleby, public domain). */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

static inline uint64_t hash_two(uint64_t a, uint64_t b)
{
	return hash_u64(hash_u64(a) + b);
}

/* A hash of n bytes for caches that forget: a person who knows this function can choose bytes that collide. The value
 * must not be stored. */
uint64_t hash_bytes(const void *p, size_t n);

/* A hash of n bytes for tables: without the seed nobody can choose bytes that collide. */
uint64_t hash_bytes_seeded(uint64_t seed, const void *p, size_t n);

#endif
