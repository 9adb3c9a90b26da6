/* SPDX-License-Identifier: MIT */
#include "symbol/bundles.h"

int bundles_add(struct bundles *b, const char *path)
{
	struct bundle *one;
	int r = bundle_open(&one, path, NULL);

	if (r <= 0)
		return r == -SONDE_NOMEM ? r : 0;
	if (vec_push(&b->list, one) < 0) {
		bundle_free(one);
		return -SONDE_NOMEM;
	}
	return 0;
}

void bundles_free(struct bundles *b)
{
	for (size_t i = 0; i < b->list.n; i++)
		bundle_free(b->list.at[i]);
	vec_free(&b->list);
}

struct bundle_key bundle_key_of(const struct binary *b, enum bundle_kind kind)
{
	return (struct bundle_key){ .kind = kind, .binary = b->kind | (b->guest ? 1u << 31 : 0), .pid = b->pid,
				    .begun = b->begun, .name = b->name, .build_id = b->build_id,
				    .build_id_size = b->build_id_size };
}

static bool take(const struct bundle *b, const struct bundle_key *key, uint8_t **bytes, size_t *size)
{
	const struct bundle_member *m = bundle_find(b, key);

	if (!m || bundle_unpack(b, m, bytes, NULL) < 0)
		return false;
	*size = m->raw_size;
	return true;
}

bool bundles_take(const struct bundles *b, size_t i, const struct binary *binary, enum bundle_kind kind,
		  uint8_t **bytes, size_t *size)
{
	const struct bundle_key key = bundle_key_of(binary, kind);

	return take(b->list.at[i], &key, bytes, size);
}

struct bundle_key bundle_key_of_source(const char *path)
{
	return (struct bundle_key){ .kind = BUNDLE_SOURCE, .pid = -1, .name = path };
}

bool bundles_take_source(const struct bundles *b, const char *path, uint8_t **bytes, size_t *size)
{
	const struct bundle_key key = bundle_key_of_source(path);

	for (size_t i = b->list.n; i-- > 0;)
		if (take(b->list.at[i], &key, bytes, size))
			return true;
	return false;
}
