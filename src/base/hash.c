/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"

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

static struct u64map_slot *find_slot(const struct u64map *m, uint64_t key)
{
	size_t i = hash_u64(key) & (m->cap - 1);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

uint32_t u64map_get(const struct u64map *m, uint64_t key)
{
	const struct u64map_slot *s = m->cap ? find_slot(m, key) : NULL;

	return s && s->used ? s->value : U64MAP_NONE;
}

static int grow(struct u64map *m)
{
	struct u64map bigger = { .n = m->n, .cap = m->cap ? m->cap * 2 : 16 };

	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			*find_slot(&bigger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = bigger;
	return 0;
}

int u64map_set(struct u64map *m, uint64_t key, uint32_t value)
{
	struct u64map_slot *s;

	if (m->n + 1 > m->cap / 4 * 3 && grow(m) < 0)
		return -SONDE_NOMEM;
	s = find_slot(m, key);
	m->n += !s->used;
	*s = (struct u64map_slot){ key, value, true };
	return 0;
}

void u64map_free(struct u64map *m)
{
	free(m->slots);
	*m = (struct u64map){ 0 };
}
