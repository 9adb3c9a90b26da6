/* SPDX-License-Identifier: MIT */
#include "parquet/dictionary.h"

#include "base/bytes.h"
#include "base/put.h"

static uint32_t add(struct dictionary *d, uint64_t hash, uint64_t value)
{
	uint32_t i = (uint32_t)d->entries.n;

	if (vec_push(&d->entries, value) < 0)
		return DICTIONARY_NOMEM;
	if (hash_index_add(&d->index, hash, i) < 0) {
		d->entries.n--;
		return DICTIONARY_NOMEM;
	}
	return d->last = i;
}

uint32_t dictionary_number(struct dictionary *d, int64_t value)
{
	uint64_t hash;
	uint32_t i;

	if (d->entries.n && d->entries.at[d->last] == (uint64_t)value)
		return d->last;
	hash = hash_u64(hash_index_seed(&d->index) ^ (uint64_t)value);
	hash_index_each(&d->index, hash, i)
		if (d->entries.at[i] == (uint64_t)value)
			return d->last = i;
	if (d->entries.n >= DICTIONARY_BYTES_MAX / sizeof(value))
		return DICTIONARY_FULL;
	return add(d, hash, (uint64_t)value);
}

static bool is_text(const struct dictionary *d, uint32_t i, const char *text, size_t len)
{
	const char *entry = d->plain.p + d->entries.at[i];

	return load_u32(entry, host_is_big_endian()) == len &&
	       (len == 0 || memcmp(entry + sizeof(uint32_t), text, len) == 0);
}

static uint32_t find_text(struct dictionary *d, uint64_t hash, const char *text, size_t len)
{
	uint32_t i;

	hash_index_each(&d->index, hash, i)
		if (is_text(d, i, text, len))
			return d->last = i;
	return HASH_INDEX_NONE;
}

uint32_t dictionary_find_text(struct dictionary *d, const char *text, size_t len)
{
	if (d->entries.n && is_text(d, d->last, text, len))
		return d->last;
	return find_text(d, hash_bytes_seeded(hash_index_seed(&d->index), text, len), text, len);
}

uint32_t dictionary_text(struct dictionary *d, const char *text, size_t len)
{
	uint64_t hash = hash_bytes_seeded(hash_index_seed(&d->index), text, len), at = d->plain.n;
	uint32_t i = find_text(d, hash, text, len);

	if (i != HASH_INDEX_NONE)
		return i;
	if (len > DICTIONARY_BYTES_MAX || at + sizeof(uint32_t) + len > DICTIONARY_BYTES_MAX)
		return DICTIONARY_FULL;
	put_u32(&d->plain, (uint32_t)len, host_is_big_endian());
	buf_put(&d->plain, text, len);
	return d->plain.failed ? DICTIONARY_NOMEM : add(d, hash, at);
}

void dictionary_clear(struct dictionary *d)
{
	hash_index_free(&d->index);
	d->entries.n = 0;
	d->plain.n = 0;
	d->last = 0;
}

void dictionary_free(struct dictionary *d)
{
	hash_index_free(&d->index);
	vec_free(&d->entries);
	buf_free(&d->plain);
}
