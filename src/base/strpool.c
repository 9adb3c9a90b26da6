/* SPDX-License-Identifier: MIT */
#include "base/strpool.h"

#include <string.h>

uint32_t strpool_find(struct strpool *p, const char *s, size_t len)
{
	uint32_t i;

	if (p->names.n == 0)
		return UINT32_MAX;
	len = strnlen(s, len);
	hash_index_each(&p->index, hash_bytes_seeded(hash_index_seed(&p->index), s, len), i)
		if (strncmp(p->names.at[i], s, len) == 0 && p->names.at[i][len] == '\0')
			return i;
	return UINT32_MAX;
}

uint32_t strpool_add(struct strpool *p, const char *s, size_t len)
{
	uint64_t hash;
	uint32_t i;
	char *copy;

	len = strnlen(s, len);
	if (p->names.n == 0 && len && strpool_add(p, "", 0) == UINT32_MAX)
		return UINT32_MAX;
	i = strpool_find(p, s, len);
	if (i != UINT32_MAX)
		return i;
	hash = hash_bytes_seeded(hash_index_seed(&p->index), s, len);
	i = (uint32_t)p->names.n;
	copy = arena_strndup(&p->text, s, len);
	if (!copy || vec_push(&p->names, copy) < 0)
		return UINT32_MAX;
	if (hash_index_add(&p->index, hash, i) < 0) {
		p->names.n--;
		return UINT32_MAX;
	}
	return i;
}

void strpool_free(struct strpool *p)
{
	arena_free(&p->text);
	vec_free(&p->names);
	hash_index_free(&p->index);
}
