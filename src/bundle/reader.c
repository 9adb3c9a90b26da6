/* SPDX-License-Identifier: MIT */
#include "bundle/bundle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd_io.h"
#include "base/hash_index.h"
#include "base/plain_file.h"
#include "base/vec.h"
#include "bundle/entry.h"
#include "codec/codec.h"
#include "io/input.h"
#include "io/trailer.h"

struct bundle {
	int fd;
	uint64_t memory_max;         /* bytes of the file that are taken into memory at once */
	uint64_t recording;
	struct arena texts;
	VEC(struct bundle_member) members;
	struct hash_index by_key;
};

static uint64_t hash_key(uint64_t seed, const struct bundle_key *k)
{
	uint64_t h = hash_bytes_seeded(seed, k->name, strlen(k->name));

	h = hash_two(h, (uint64_t)k->kind << 32 | k->binary);
	return hash_two(h, k->begun ^ (uint32_t)k->pid);
}

static bool same_key(const struct bundle_key *a, const struct bundle_key *b)
{
	return a->kind == b->kind && a->binary == b->binary && a->pid == b->pid && a->begun == b->begun &&
	       a->build_id_size == b->build_id_size && !strcmp(a->name, b->name) &&
	       (!a->build_id_size || !memcmp(a->build_id, b->build_id, a->build_id_size));
}

const struct bundle_member *bundle_find(const struct bundle *b, const struct bundle_key *key)
{
	uint32_t i;

	if (!b->members.n)
		return NULL;
	hash_index_each(&b->by_key, hash_key(b->by_key.seed, key), i)
		if (same_key(&b->members.at[i].key, key))
			return &b->members.at[i];
	return NULL;
}

static int add(struct bundle *b, struct bundle_member *m, struct sonde_str name)
{
	m->key.name = arena_strndup(&b->texts, name.p, name.len);
	m->key.build_id = arena_memdup(&b->texts, m->key.build_id, 20);
	if (!m->key.name || !m->key.build_id || vec_push(&b->members, *m) < 0)
		return -SONDE_NOMEM;
	return hash_index_add(&b->by_key, hash_key(hash_index_seed(&b->by_key), &m->key),
			      (uint32_t)b->members.n - 1);
}

static int read_directory(struct bundle *b, const struct trailer *t, const uint8_t *p, struct sonde_error *err)
{
	struct cursor c = cur_new(p, t->directory_size, t->directory, host_is_big_endian(), NULL);
	struct bundle_member m;
	struct sonde_str name;
	int r = 0;

	if (trailer_hash(p, t->directory_size) != t->hash)
		return err_set(err, SONDE_CORRUPT, t->directory, "the directory of the bundle is damaged");
	while (r == 0 && cur_left(&c)) {
		uint64_t at = c.at;

		if (!entry_decode(&c, t->recording, t->directory, &m, &name))
			return err_set(err, SONDE_CORRUPT, at, "an entry of the bundle's directory makes no sense");
		r = add(b, &m, name);
	}
	return r < 0 ? err_nomem(err) : 0;
}

/* The bytes at a place of the file, malloced. */
static int read_bytes(const struct bundle *b, uint64_t at, uint64_t n, uint8_t **bytes, struct sonde_error *err)
{
	uint8_t *p;
	int64_t got;
	int r;

	if (n > b->memory_max)
		return err_set(err, SONDE_CORRUPT, at, "a part of the bundle has %" PRIu64 " bytes, more than the file "
			       "has on the disk", n);
	p = malloc(n ? n : 1);
	got = p ? input_read(b->fd, at, p, n, err) : err_nomem(err);
	if (got >= 0 && (uint64_t)got == n) {
		*bytes = p;
		return 0;
	}
	r = got < 0 ? (int)got : err_set(err, SONDE_TRUNCATED, at, "the file became shorter while it was read");
	free(p);
	return r;
}

static int load(struct bundle *b, const struct trailer *t, struct sonde_error *err)
{
	uint8_t *p;
	int r = read_bytes(b, t->directory, t->directory_size, &p, err);

	if (r < 0)
		return r;
	r = read_directory(b, t, p, err);
	free(p);
	return r;
}

int bundle_open(struct bundle **out, const char *path, struct sonde_error *err)
{
	struct trailer t;
	struct bundle *b;
	struct stat st;
	int fd = plain_file_open(path, 0, &st, NULL), r;

	*out = NULL;
	if (fd < 0)
		return 0;
	if (!trailer_read(&t, fd, (uint64_t)st.st_size)) {
		close(fd);
		return 0;
	}
	b = calloc(1, sizeof(*b));
	if (!b) {
		close(fd);
		return err_nomem(err);
	}
	b->fd = fd;
	b->memory_max = fd_memory_max(fd, (uint64_t)st.st_size);
	b->recording = t.recording;
	r = load(b, &t, err);
	if (r < 0) {
		bundle_free(b);
		return r;
	}
	*out = b;
	return 1;
}

void bundle_free(struct bundle *b)
{
	if (!b)
		return;
	close(b->fd);
	arena_free(&b->texts);
	vec_free(&b->members);
	hash_index_free(&b->by_key);
	free(b);
}

size_t bundle_count(const struct bundle *b)
{
	return b->members.n;
}

const struct bundle_member *bundle_at(const struct bundle *b, size_t i)
{
	return i < b->members.n ? &b->members.at[i] : NULL;
}

uint64_t bundle_recording(const struct bundle *b)
{
	return b->recording;
}

static int unpack_zstd(const uint8_t *packed, const struct bundle_member *m, uint8_t *raw, struct sonde_error *err)
{
	struct decoder d = { 0 };
	int r = decoder_init(&d, codec_find("zstd"), err);

	if (r == 0)
		r = decoder_unpack(&d, packed, m->size, raw, m->raw_size, err);
	decoder_free(&d);
	return r;
}

/* The bytes of a member as they lie in the file, malloced. */
static int read_packed(const struct bundle *b, const struct bundle_member *m, uint8_t **packed, struct sonde_error *err)
{
	int r = read_bytes(b, m->offset, m->size, packed, err);

	if (r < 0 || trailer_hash(*packed, m->size) == m->hash)
		return r;
	free(*packed);
	return err_set(err, SONDE_CORRUPT, m->offset, "a member of the bundle is damaged");
}

int bundle_check(const struct bundle *b, const struct bundle_member *m, struct sonde_error *err)
{
	uint8_t *packed;
	int r = read_packed(b, m, &packed, err);

	if (r == 0)
		free(packed);
	return r;
}

int bundle_unpack(const struct bundle *b, const struct bundle_member *m, uint8_t **bytes, struct sonde_error *err)
{
	uint8_t *packed, *raw;
	int r;

	*bytes = NULL;
	r = read_packed(b, m, &packed, err);
	if (r < 0)
		return r;
	if (m->packing == BUNDLE_STORED) {
		*bytes = packed;
		return 0;
	}
	raw = malloc(m->raw_size ? m->raw_size : 1);
	r = raw ? unpack_zstd(packed, m, raw, err) : err_nomem(err);
	free(packed);
	if (r < 0)
		free(raw);
	else
		*bytes = raw;
	return r;
}
