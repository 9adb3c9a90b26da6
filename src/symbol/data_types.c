/* SPDX-License-Identifier: MIT */
#include "symbol/data_types.h"

#include <stdio.h>
#include <string.h>

#include "base/strpool.h"
#include "base/u64map.h"
#include "symbol/load.h"

/* A binary whose types are asked for. */
struct types_slot {
	struct found running, debug;
	bool has_running, has_debug;
	struct types *types;         /* NULL: nothing is known */
	struct u64map seen;          /* number by file offset and way of fusing */
};

struct data_types {
	struct symbols *symbols;
	VEC(struct types_slot *) slots; /* by index of the binary */
	VEC(struct sonde_data_type *) list;
	struct hash_index index;     /* of the list */
	struct strpool names;
	struct arena objects;
};

static uint32_t intern(struct data_types *d, const struct sonde_data_type *key)
{
	uint64_t hash = hash_two(hash_two(hash_index_seed(&d->index) ^ (uintptr_t)key->name, (uintptr_t)key->member),
				 (uint64_t)key->offset);
	struct sonde_data_type *own;
	uint32_t i;

	hash_index_each(&d->index, hash, i)
		if (d->list.at[i]->name == key->name && d->list.at[i]->member == key->member &&
		    d->list.at[i]->offset == key->offset)
			return i;
	i = (uint32_t)d->list.n;
	own = arena_memdup(&d->objects, key, sizeof(*key));
	return !own || vec_push(&d->list, own) < 0 || hash_index_add(&d->index, hash, i) < 0 ? UINT32_MAX : i;
}

static const char *name_of(struct data_types *d, const char *text, size_t len)
{
	uint32_t number = strpool_add(&d->names, text, len);

	return number == UINT32_MAX ? NULL : strpool_get(&d->names, number);
}

struct data_types *data_types_new(struct symbols *symbols)
{
	struct data_types *d = calloc(1, sizeof(*d));
	struct sonde_data_type unknown = { 0 };

	if (!d)
		return NULL;
	d->symbols = symbols;
	unknown.name = name_of(d, "(unknown)", 9);
	if (!unknown.name || intern(d, &unknown) == UINT32_MAX) {
		data_types_free(d);
		return NULL;
	}
	return d;
}

static void free_slot(struct types_slot *s)
{
	if (!s)
		return;
	types_free(s->types);
	if (s->has_debug)
		elf_file_close(&s->debug.elf);
	if (s->has_running)
		elf_file_close(&s->running.elf);
	u64map_free(&s->seen);
	free(s);
}

void data_types_free(struct data_types *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->slots.n; i++)
		free_slot(d->slots.at[i]);
	vec_free(&d->slots);
	vec_free(&d->list);
	hash_index_free(&d->index);
	strpool_free(&d->names);
	arena_free(&d->objects);
	free(d);
}

static bool has_dwarf(const struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_file_section(f, ".debug_info", &shdr) || elf_file_section(f, ".zdebug_info", &shdr);
}

/* Instructions are in the file that ran; types may be in a separate one. */
static void open_binary(struct data_types *d, struct types_slot *s, const struct binary *b)
{
	const struct find_paths *paths = &d->symbols->paths;
	struct buf reason = BUF_MEMORY;

	s->has_running = find_running_file(&s->running, paths, b, b->name, &reason) == 0;
	buf_free(&reason);
	if (!s->has_running)
		return;
	if (!has_dwarf(&s->running.elf)) {
		s->has_debug = find_debug_file(&s->debug, paths, b, &s->running) == 0;
		if (!s->has_debug || !has_dwarf(&s->debug.elf))
			return;
	}
	s->types = types_new(&s->running.elf, s->has_debug ? &s->debug.elf : NULL, symbols_table(d->symbols, b));
}

static struct types_slot *slot_of(struct data_types *d, const struct binary *b)
{
	struct types_slot *s;

	while (d->slots.n <= b->index)
		if (vec_push(&d->slots, NULL) < 0)
			return NULL;
	s = d->slots.at[b->index];
	if (!s) {
		s = d->slots.at[b->index] = calloc(1, sizeof(*s));
		if (s && b->kind == BINARY_FILE)
			open_binary(d, s, b);
	}
	return s;
}

static const char *name_of_kind(enum types_kind kind)
{
	return kind == TYPES_STACK ? "(stack operation)" : "(stack canary)";
}

static uint32_t look_at(struct data_types *d, struct types_slot *s, uint64_t offset, enum types_fusing fusing)
{
	struct buf type = BUF_MEMORY, member = BUF_MEMORY;
	struct types_access access = { .type = &type, .member = &member };
	struct sonde_data_type key = { 0 };
	uint32_t number = 0;

	types_find(s->types, offset, fusing, &access);
	if (access.kind == TYPES_TYPE) {
		key.name = name_of(d, type.p, type.n);
		key.member = member.n ? name_of(d, member.p, member.n) : NULL;
		key.offset = (uint64_t)access.offset;
		key.is_type = true;
		if (type.failed || member.failed || (member.n && !key.member))
			key.name = NULL;
	} else if (access.kind != TYPES_UNKNOWN) {
		key.name = name_of(d, name_of_kind(access.kind), strlen(name_of_kind(access.kind)));
	}
	if (access.kind != TYPES_UNKNOWN)
		number = key.name ? intern(d, &key) : UINT32_MAX;
	buf_free(&type);
	buf_free(&member);
	return number;
}

uint32_t data_types_find(struct data_types *d, const struct binary *b, uint64_t offset, enum types_fusing fusing)
{
	struct types_slot *s = slot_of(d, b);
	uint64_t key = offset << 2 | fusing;
	uint32_t number;

	if (!s)
		return UINT32_MAX;
	if (!s->types)
		return 0;
	number = u64map_get(&s->seen, key);
	if (number != U64MAP_NONE)
		return number;
	number = look_at(d, s, offset, fusing);
	return number == UINT32_MAX || u64map_set(&s->seen, key, number) < 0 ? UINT32_MAX : number;
}

const struct sonde_data_type *data_types_at(const struct data_types *d, uint32_t number)
{
	return number < d->list.n ? d->list.at[number] : NULL;
}

/* Which CPUs fuse what: as perf has it. */
enum types_fusing data_types_fusing(const char *cpuid)
{
	unsigned int family, model;

	if (!cpuid || sscanf(cpuid, "%*[^,],%u,%u", &family, &model) != 2)
		return TYPES_FUSE_NOTHING;
	if (strncmp(cpuid, "AuthenticAMD", 12) == 0)
		return family >= 0x19 ? TYPES_FUSE_ALL : family >= 0x15 ? TYPES_FUSE_COMPARE : TYPES_FUSE_NOTHING;
	if (family != 6 || model < 0x1e)
		return TYPES_FUSE_NOTHING;
	return model == 0x1e ? TYPES_FUSE_COMPARE : TYPES_FUSE_SUM;
}
