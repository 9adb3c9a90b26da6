/* SPDX-License-Identifier: MIT */
/*
 * arena.h - what dies together is allocated together
 *
 * Objects are aligned to 16 bytes and zeroed. In sanitizer builds every object is a malloc of its own, so that an
 * overrun is seen.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct arena {
	struct arena_block *blocks;  /* newest first */
	size_t bytes;                /* handed out so far */
};

/* All return NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_calloc(struct arena *a, uint64_t count, uint64_t size);
void *arena_memdup(struct arena *a, const void *p, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t len);

/* Releases every object; the arena can be used again. */
void arena_free(struct arena *a);

#endif
