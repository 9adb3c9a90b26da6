/* SPDX-License-Identifier: MIT */
#include "base/u64map.h"

static struct u64map_entry *find(const struct u64map *m, uint64_t hash, uint64_t key)
{
	uint32_t i;

	hash_index_each(&m->index, hash, i)
		if (m->entries.at[i].key == key)
			return &m->entries.at[i];
	return NULL;
}

uint32_t u64map_get(const struct u64map *m, uint64_t key)
{
	/* an empty map has no seed yet, and nothing to be found with it */
	const struct u64map_entry *e = find(m, hash_u64(m->index.seed ^ key), key);

	return e ? e->value : U64MAP_NONE;
}

int u64map_set(struct u64map *m, uint64_t key, uint32_t value)
{
	uint64_t hash = hash_u64(hash_index_seed(&m->index) ^ key);
	struct u64map_entry *e = find(m, hash, key);
	uint32_t i = (uint32_t)m->entries.n;

	if (e) {
		e->value = value;
		return 0;
	}
	if (vec_push(&m->entries, ((struct u64map_entry){ key, value })) < 0)
		return -SONDE_NOMEM;
	if (hash_index_add(&m->index, hash, i) < 0) {
		m->entries.n--;
		return -SONDE_NOMEM;
	}
	return 0;
}

void u64map_free(struct u64map *m)
{
	hash_index_free(&m->index);
	vec_free(&m->entries);
}
