/* SPDX-License-Identifier: MIT */
#include "threads/binaries.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"
#include "base/u64map.h"

#define KERNEL_NAME "[kernel.kallsyms]"
#define GUEST_KERNEL_NAME "[guest.kernel.kallsyms"

/* Names of the kernel and of perf for memory without a file. */
static bool is_anonymous(struct sonde_str name)
{
	return str_begins(name, "//anon") || str_begins(name, "/dev/zero") || str_begins(name, "/anon_hugepage") ||
	       str_begins(name, "[heap]") || str_begins(name, "[stack") || str_begins(name, "/SYSV");
}

/* "DIR/jit-NUMBER.dump", as a compiler maps it to be found. */
static bool is_jitdump(struct sonde_str name)
{
	const char *slash = memrchr(name.p, '/', name.len), *end = name.p + name.len, *p = slash ? slash + 5 : end;

	if (end - p < 6 || memcmp(slash, "/jit-", 5) || *p == '.')
		return false;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return end - p == 5 && !memcmp(p, ".dump", 5);
}

/*
 * Other memory in which code is made, which perf shows by its name: a process can name it, and compilers map it twice.
 * A program can be started from a memfd, too; then it has a build id.
 */
static bool is_named_memory(const struct binary_hint *h)
{
	return str_begins(h->name, "[anon:") || str_begins(h->name, "anon_inode:") ||
	       (str_begins(h->name, "/memfd:") && !h->build_id_size);
}

static enum binary_kind kind_of(const struct binary_hint *h)
{
	if (h->ksymbol)
		return BINARY_KSYMBOL;
	if (h->kernel)
		return str_begins(h->name, KERNEL_NAME) || str_begins(h->name, GUEST_KERNEL_NAME) ? BINARY_KERNEL :
												   BINARY_MODULE;
	if (str_is(h->name, "[vdso]") || str_is(h->name, "[vdso32]") || str_is(h->name, "[vdsox32]"))
		return BINARY_VDSO;
	if (is_anonymous(h->name))
		return h->exec ? BINARY_JIT : BINARY_OTHER;
	if (h->exec && is_named_memory(h))
		return BINARY_JIT;
	if (h->name.len == 0 || h->name.p[0] == '[' || str_begins(h->name, "anon_inode:"))
		return BINARY_OTHER;
	return h->exec && is_jitdump(h->name) ? BINARY_JITDUMP : BINARY_FILE;
}

/* The name to show and to look up. Behind the kernel's stands the symbol that pgoff is the address of. */
static uint32_t name_of(struct binaries *b, const struct binary_hint *h, enum binary_kind kind, uint32_t *ref_symbol)
{
	const char *end;
	char map[40];
	int n;

	*ref_symbol = 0;
	if (kind == BINARY_JIT && is_anonymous(h->name)) {
		n = snprintf(map, sizeof(map), "/tmp/perf-%d.map", h->pid);
		return strpool_add(&b->names, map, (size_t)n);
	}
	end = kind == BINARY_KERNEL ? memchr(h->name.p, ']', h->name.len) : NULL;
	if (!end)
		return strpool_add(&b->names, h->name.p, h->name.len);
	end++;
	if (end < h->name.p + h->name.len)
		*ref_symbol = strpool_add(&b->names, end, (size_t)(h->name.p + h->name.len - end));
	return strpool_add(&b->names, h->name.p, (size_t)(end - h->name.p));
}

static bool same_identity(const struct binary *a, const struct binary *b)
{
	return a->name == b->name && a->kind == b->kind && a->pid == b->pid && a->guest == b->guest &&
	       a->narrow == b->narrow && a->begun == b->begun && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static uint64_t hash_identity(struct binaries *b, const struct binary *key)
{
	uint64_t hash = hash_bytes_seeded(hash_index_seed(&b->by_identity), key->build_id, key->build_id_size);

	/* equal names are one pointer */
	return hash_two(hash_two((uintptr_t)key->name, hash), (uint64_t)key->kind << 32 | (uint32_t)key->pid);
}

static struct binary *find(const struct binaries *b, uint64_t hash, const struct binary *key)
{
	uint32_t i;

	hash_index_each(&b->by_identity, hash, i)
		if (same_identity(b->list.at[i], key))
			return b->list.at[i];
	return NULL;
}

/* After build ids have changed what binaries are found by. */
static int index_again(struct binaries *b)
{
	int r = 0;

	hash_index_free(&b->by_identity);
	for (uint32_t i = 0; r == 0 && i < b->list.n; i++)
		r = hash_index_add(&b->by_identity, hash_identity(b, b->list.at[i]), i);
	return r;
}

/* Build ids that the metadata gives by name; a kernel's is known under its name without the symbol. */
static void use_noted_id(const struct binaries *b, struct binary *key, uint32_t name)
{
	uint32_t i = key->build_id_size ? U64MAP_NONE : u64map_get(&b->id_by_name, (uint64_t)b->recording << 32 | name);

	if (i == U64MAP_NONE || b->ids.at[i].size > sizeof(key->build_id))
		return;
	memcpy(key->build_id, b->ids.at[i].id, b->ids.at[i].size);
	key->build_id_size = b->ids.at[i].size;
}

struct binary *binaries_intern(struct binaries *b, const struct binary_hint *h)
{
	struct binary key = { .kind = kind_of(h), .guest = h->guest, .pid = -1, .recording = b->recording };
	uint32_t name, ref_symbol;
	struct binary *found, *copy;
	uint64_t hash;

	if (key.kind == BINARY_JIT || key.kind == BINARY_JITDUMP)
		key.pid = h->pid;
	if (key.kind == BINARY_JIT)
		key.begun = h->begun;
	key.narrow = key.kind == BINARY_VDSO && h->addr <= UINT32_MAX;
	name = name_of(b, h, key.kind, &ref_symbol);
	if (name == UINT32_MAX || ref_symbol == UINT32_MAX)
		return NULL;
	key.name = strpool_get(&b->names, name);
	if (ref_symbol)
		key.ref_symbol = strpool_get(&b->names, ref_symbol);
	key.ref_addr = key.kind == BINARY_KERNEL ? h->pgoff : h->kernel ? h->addr : 0;
	if (h->build_id_size && h->build_id_size <= sizeof(key.build_id)) {
		memcpy(key.build_id, h->build_id, h->build_id_size);
		key.build_id_size = h->build_id_size;
	}
	use_noted_id(b, &key, name);
	if (key.kind == BINARY_JIT && key.build_id_size) {
		key.kind = BINARY_FILE;
		key.pid = -1;
		key.begun = 0;
	}
	hash = hash_identity(b, &key);
	found = find(b, hash, &key);
	if (found)
		return found;
	key.index = (uint32_t)b->list.n;
	copy = arena_memdup(&b->arena, &key, sizeof(key));
	if (!copy || vec_push(&b->list, copy) < 0)
		return NULL;
	if (hash_index_add(&b->by_identity, hash, key.index) < 0) {
		b->list.n--;
		return NULL;
	}
	return copy;
}

int binaries_turn_to(struct binaries *b, uint32_t recording)
{
	uint32_t most = recording > b->recording ? recording : b->recording;

	while (b->others_noted.n <= most)
		if (vec_push(&b->others_noted, 0) < 0)
			return -SONDE_NOMEM;
	b->others_noted.at[b->recording] = b->nr_noted;
	b->nr_noted = b->others_noted.at[recording];
	b->recording = recording;
	return 0;
}

int binaries_note_build_ids(struct binaries *b, const struct meta *meta)
{
	uint64_t of_recording = (uint64_t)b->recording << 32;
	uint32_t name;

	if (meta->nr_build_ids == b->nr_noted)
		return 0;
	for (; b->nr_noted < meta->nr_build_ids; b->nr_noted++) {
		const struct sonde_build_id *id = &meta->build_ids[b->nr_noted];

		name = strpool_add(&b->names, id->filename, strlen(id->filename));
		if (name == UINT32_MAX || vec_push(&b->ids, *id) < 0)
			return -SONDE_NOMEM;
		if (u64map_get(&b->id_by_name, of_recording | name) == U64MAP_NONE &&
		    u64map_set(&b->id_by_name, of_recording | name, (uint32_t)(b->ids.n - 1)) < 0)
			return -SONDE_NOMEM;
	}
	for (size_t i = 0; i < b->list.n; i++) {
		if (b->list.at[i]->recording != b->recording)
			continue;
		name = strpool_add(&b->names, b->list.at[i]->name, strlen(b->list.at[i]->name));
		if (name == UINT32_MAX)
			return -SONDE_NOMEM;
		use_noted_id(b, b->list.at[i], name);
	}
	return index_again(b);
}

uint64_t binary_pgoff(const struct binary *b, uint64_t pgoff)
{
	return b->kind == BINARY_FILE ? pgoff : 0;
}

void binaries_free(struct binaries *b)
{
	strpool_free(&b->names);
	arena_free(&b->arena);
	vec_free(&b->list);
	vec_free(&b->ids);
	vec_free(&b->others_noted);
	u64map_free(&b->id_by_name);
	hash_index_free(&b->by_identity);
	*b = (struct binaries){ 0 };
}
