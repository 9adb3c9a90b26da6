/* SPDX-License-Identifier: MIT */
/* hash.h - hash functions and a map from 64-bit keys to 32-bit values. */
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

/* Of n bytes; equal bytes hash alike on one machine, the value is not for storing. */
uint64_t hash_bytes(const void *p, size_t n);

/* Open addressing, linear probing; values below UINT32_MAX. {0} is an empty map. */
struct u64map {
	struct u64map_slot { uint64_t key; uint32_t value; bool used; } *slots;
	size_t n, cap;               /* cap is a power of two or 0 */
};

#define U64MAP_NONE UINT32_MAX

/* U64MAP_NONE if the key is not there */
uint32_t u64map_get(const struct u64map *m, uint64_t key);

/* Adds or replaces; 0 or -SONDE_NOMEM */
int u64map_set(struct u64map *m, uint64_t key, uint32_t value);

void u64map_free(struct u64map *m);

#endif
