/* SPDX-License-Identifier: MIT */
/* u64map.h - a map from 64-bit keys to 32-bit values */
#ifndef BASE_U64MAP_H
#define BASE_U64MAP_H

#include "base/hash_index.h"
#include "base/vec.h"

/* {0} is an empty map. */
struct u64map {
	struct hash_index index;
	VEC(struct u64map_entry { uint64_t key; uint32_t value; }) entries;
};

#define U64MAP_NONE UINT32_MAX

/* U64MAP_NONE if the key is not there */
uint32_t u64map_get(const struct u64map *m, uint64_t key);

/* Adds or replaces; 0 or -SONDE_NOMEM */
int u64map_set(struct u64map *m, uint64_t key, uint32_t value);

void u64map_free(struct u64map *m);

#endif
