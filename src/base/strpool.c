/* SPDX-License-Identifier: MIT */
#include "base/strpool.h"

#include <string.h>

#include "base/err.h"
#include "base/hash.h"

static uint32_t *find_slot(const struct strpool *p, const char *s, size_t len)
{
	size_t i = hash_bytes(s, len) & (p->cap - 1);
	const char *name;

	for (; p->slots[i]; i = (i + 1) & (p->cap - 1)) {
		name = p->names.at[p->slots[i] - 1];
		if (strncmp(name, s, len) == 0 && name[len] == '\0')
			break;
	}
	return &p->slots[i];
}

static int grow(struct strpool *p)
{
	size_t cap = p->cap ? p->cap * 2 : 64;
	uint32_t *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return -SONDE_NOMEM;
	free(p->slots);
	p->slots = slots;
	p->cap = cap;
	for (uint32_t n = 0; n < p->names.n; n++)
		*find_slot(p, p->names.at[n], strlen(p->names.at[n])) = n + 1;
	return 0;
}

uint32_t strpool_add(struct strpool *p, const char *s, size_t len)
{
	uint32_t *slot;
	char *copy;

	len = strnlen(s, len);
	if (p->names.n == 0 && len && strpool_add(p, "", 0) == UINT32_MAX)
		return UINT32_MAX;
	if (p->names.n + 1 > p->cap / 4 * 3 && grow(p) < 0)
		return UINT32_MAX;
	slot = find_slot(p, s, len);
	if (*slot)
		return *slot - 1;
	copy = arena_strndup(&p->text, s, len);
	if (!copy || p->names.n >= UINT32_MAX - 1 || vec_push(&p->names, copy) < 0)
		return UINT32_MAX;
	*slot = (uint32_t)p->names.n;
	return *slot - 1;
}

void strpool_free(struct strpool *p)
{
	arena_free(&p->text);
	vec_free(&p->names);
	free(p->slots);
	*p = (struct strpool){ 0 };
}
