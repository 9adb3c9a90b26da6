/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#if defined(__SANITIZE_ADDRESS__)
#define BLOCK_BYTES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOCK_BYTES 0
#endif
#endif
#ifndef BLOCK_BYTES
#define BLOCK_BYTES (64 * 1024)
#endif

/* Of the first block: most arenas hold the few names of one binary. Each block is as large as all before it. */
#define FIRST_BYTES ((size_t)1024)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) uint8_t data[];
};

static void *block_take(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	void *p = b->data + b->used;

	b->used += size;
	a->bytes += size;
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	size_t need, room;

	if (size > SIZE_MAX / 2)
		return NULL;
	need = BLOCK_BYTES ? ALIGN_UP(size, (size_t)16) : size;
	if (BLOCK_BYTES && b && b->size - b->used >= need)
		return block_take(a, need);
	room = a->bytes < FIRST_BYTES ? FIRST_BYTES - sizeof(*b) : a->bytes;
	room = room > BLOCK_BYTES ? BLOCK_BYTES : room;
	room = room > need ? room : need;
	b = calloc(1, sizeof(*b) + room);
	if (!b)
		return NULL;
	b->size = room;
	b->next = a->blocks;
	a->blocks = b;
	return block_take(a, need);
}

void *arena_calloc(struct arena *a, uint64_t count, uint64_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_alloc(a, bytes);
}

void *arena_memdup(struct arena *a, const void *p, size_t size)
{
	void *copy = arena_alloc(a, size);

	if (copy && size)
		memcpy(copy, p, size);
	return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = len < SIZE_MAX ? arena_alloc(a, len + 1) : NULL;

	if (copy && len)
		memcpy(copy, s, len);
	return copy;
}

void arena_free(struct arena *a)
{
	struct arena_block *b = a->blocks, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){ 0 };
}
