/* SPDX-License-Identifier: MIT */
#include "symbol/bundle_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/put.h"

/*
 * Version, number of symbols, bytes of names, of the doubt, bias; then all starts, then size, name and outer symbol of
 * each, names with a NUL each, the doubt. In little-endian order.
 */
enum { VERSION = 1, ENTRY_WORDS = 3, NAMES_MAX = INT32_MAX };

/* The number of an outer symbol among the used ones; the next outer one that is used. */
static uint32_t outer_of(const struct symtab *t, const uint32_t *number, uint32_t i)
{
	uint32_t outer = symtab_entry(t, i)->outer;

	while (outer < i && number[outer] == SYMTAB_NONE) {
		i = outer;
		outer = symtab_entry(t, i)->outer;
	}
	return outer < i ? number[outer] : SYMTAB_NONE;
}

void bundle_table_encode(struct buf *out, const struct symtab *t, const uint32_t *used, size_t n)
{
	bool swap = host_is_big_endian();
	uint32_t *number = malloc((t->n + 1) * sizeof(*number));
	struct buf names = BUF_MEMORY, entries = BUF_MEMORY;

	if (!number) {
		out->failed = -SONDE_NOMEM;
		return;
	}
	memset(number, 0xff, (t->n + 1) * sizeof(*number));
	for (size_t i = 0; i < n; i++)
		number[used[i]] = (uint32_t)i;
	for (size_t i = 0; i < n; i++) {
		const struct symtab_entry *e = symtab_entry(t, used[i]);

		put_u32(&entries, e->size, swap);
		put_u32(&entries, (uint32_t)names.n | (e->name & SYMTAB_PLT), swap);
		put_u32(&entries, outer_of(t, number, used[i]), swap);
		put_strz(&names, symtab_linkage_name(t, used[i]));
	}
	put_u32(out, VERSION, swap);
	put_u32(out, (uint32_t)n, swap);
	put_u32(out, (uint32_t)names.n, swap);
	put_u32(out, (uint32_t)strlen(t->doubt), swap);
	put_u64(out, t->bias, swap);
	for (size_t i = 0; i < n; i++)
		put_u64(out, symtab_linked_start(t, used[i]), swap);
	buf_move(out, &entries);
	buf_move(out, &names);
	buf_put(out, t->doubt, strlen(t->doubt));
	buf_free(&entries);
	buf_free(&names);
	free(number);
}

/* Each start above the one before it, each outer symbol before its own. */
static bool read_symbols(struct symtab *t, struct cursor *starts, struct cursor *entries)
{
	uint64_t *at = malloc(((size_t)t->n + 1) * sizeof(*at));
	struct symtab_entry *e = malloc(((size_t)t->n + 1) * sizeof(*e));

	t->starts = at;
	t->entries = e;
	if (!at || !e)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		at[i] = cur_u64(starts);
		e[i].size = cur_u32(entries);
		e[i].name = cur_u32(entries);
		e[i].outer = cur_u32(entries);
		if ((i && at[i] <= at[i - 1]) || (e[i].outer >= i && e[i].outer != SYMTAB_NONE) ||
		    (e[i].name & ~SYMTAB_PLT) >= t->strings_size)
			return false;
	}
	return true;
}

struct symtab *bundle_table_decode(const uint8_t *p, size_t n)
{
	struct cursor c = cur_new(p, n, 0, host_is_big_endian(), NULL), starts, entries;
	struct symtab *t = symtab_new();
	const uint8_t *names, *doubt;
	uint32_t version, names_size, doubt_size;
	char *strings;

	if (!t)
		return NULL;
	version = cur_u32(&c);
	t->n = cur_u32(&c);
	names_size = cur_u32(&c);
	doubt_size = cur_u32(&c);
	t->bias = cur_u64(&c);
	starts = cur_sub(&c, (uint64_t)t->n * sizeof(uint64_t));
	entries = cur_sub(&c, (uint64_t)t->n * ENTRY_WORDS * sizeof(uint32_t));
	names = cur_take(&c, names_size);
	doubt = cur_take(&c, doubt_size);
	strings = cur_ok(&c) && version == VERSION && t->n && names_size && names_size <= NAMES_MAX &&
				  !names[names_size - 1] ? malloc(names_size) : NULL;
	if (!strings) {
		symtab_free(t);
		return NULL;
	}
	memcpy(strings, names, names_size);
	t->strings = strings;
	t->strings_size = names_size;
	if (doubt_size)
		t->doubt = arena_strndup(&t->texts, (const char *)doubt, doubt_size);
	if (!t->doubt || !read_symbols(t, &starts, &entries)) {
		symtab_free(t);
		return NULL;
	}
	return t;
}

static void add(struct symtab_builder *b, const struct symtab *t, uint32_t i, uint64_t bias)
{
	const struct symtab_entry *e = symtab_entry(t, i);
	const char *name = symtab_linkage_name(t, i);

	symtab_builder_add(b, &(struct symtab_raw){ .start = symtab_start(t, i) - bias, .size = e->size,
						    .name = symtab_builder_name(b, name, strlen(name)) |
							    (e->name & SYMTAB_PLT) });
}

struct symtab *bundle_table_merge(const struct symtab *to, const struct symtab *from, bool *disagree)
{
	struct symtab_builder b = { 0 };
	struct symtab *t;
	uint32_t k = 0;

	*disagree = false;
	for (uint32_t i = 0; i < to->n; i++)
		add(&b, to, i, to->bias);
	for (uint32_t i = 0; i < from->n; i++) {
		while (k < to->n && symtab_start(to, k) < symtab_start(from, i))
			k++;
		if (k == to->n || symtab_start(to, k) != symtab_start(from, i))
			add(&b, from, i, to->bias);
		else if (strcmp(symtab_linkage_name(to, k), symtab_linkage_name(from, i)) != 0)
			*disagree = true;
	}
	t = symtab_build(&b, SYMTAB_SAME_BEST);
	if (t)
		t->bias = to->bias;
	return t;
}
