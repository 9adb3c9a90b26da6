/* SPDX-License-Identifier: MIT */
/*
 * xxh64.h - XXH64 with seed 0: a published hash, the same on every machine, for ids that are stored
 *
 * The specification is doc/xxhash_spec.md of github.com/Cyan4973/xxHash. A person can choose bytes that collide: tables
 * of keys from a file use hash_index.h.
 */
#ifndef BASE_XXH64_H
#define BASE_XXH64_H

#include <stddef.h>
#include <stdint.h>

uint64_t xxh64(const void *p, size_t n);

#endif
