/* SPDX-License-Identifier: MIT */
#include "base/multi_search.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"

#define HASH_BITS 16
#define NR_HEADS ((size_t)1 << HASH_BITS)

static uint32_t hash_key(uint32_t key)
{
	return key * UINT32_C(0x9e3779b1) >> (32 - HASH_BITS);
}

static uint32_t hash_at(const char *p)
{
	return hash_key(load_u32((const uint8_t *)p, false));
}

int multi_search_add(struct multi_search *n, const char *p, size_t len, enum search_kind kind)
{
	struct search_string one = { .len = (uint32_t)len, .kind = kind };
	uint32_t hash;

	if (len < SEARCH_MIN || len > UINT32_MAX)
		return 0;
	if (!n->heads)
		n->heads = calloc(2 * NR_HEADS, sizeof(*n->heads));
	one.p = arena_strndup(&n->text, p, len);
	if (!n->heads || !one.p)
		return -SONDE_NOMEM;
	n->load = n->heads + NR_HEADS;
	hash = hash_at(p);
	for (uint32_t i = 1; i + SEARCH_MIN <= len && n->load[hash]; i++) {
		if (n->load[hash_at(p + i)] < n->load[hash]) {
			one.key_at = i;
			hash = hash_at(p + i);
		}
	}
	one.next = n->heads[hash];
	if (vec_push(&n->list, one) < 0)
		return -SONDE_NOMEM;
	n->heads[hash] = (uint32_t)n->list.n;
	n->load[hash]++;
	if (len > n->longest)
		n->longest = len;
	return 0;
}

static bool is_letter(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_here(const struct search_string *one, unsigned kinds, const uint8_t *p, size_t len, size_t at)
{
	size_t end = at + one->len;

	if (!(one->kind & kinds) || memcmp(p + at, one->p, one->len) != 0)
		return false;
	if (one->kind == SEARCH_ANYWHERE)
		return true;
	if (one->kind == SEARCH_STRING && end < len && p[end])
		return false;
	return !(at > 0 && is_letter(p[at - 1])) && !(end < len && is_letter(p[end]));
}

const struct search_string *multi_search_find(const struct multi_search *n, unsigned kinds, const void *data,
					      size_t len, size_t *at)
{
	const uint8_t *p = data;

	for (size_t i = 0; n->list.n && i + SEARCH_MIN <= len; i++) {
		for (uint32_t k = n->heads[hash_key(load_u32(p + i, false))]; k; k = n->list.at[k - 1].next) {
			const struct search_string *one = &n->list.at[k - 1];

			if (i < one->key_at || one->len > len - (i - one->key_at) ||
			    !is_here(one, kinds, p, len, i - one->key_at))
				continue;
			*at = i - one->key_at;
			return one;
		}
	}
	return NULL;
}

void multi_search_free(struct multi_search *n)
{
	arena_free(&n->text);
	vec_free(&n->list);
	free(n->heads);
	*n = (struct multi_search){ 0 };
}
