/* SPDX-License-Identifier: MIT */
#include "symbol/list/carried.h"

#include <string.h>

static const char *copy(struct carried *c, const char *text)
{
	return arena_strndup(&c->texts, text, strlen(text));
}

static int add_table(struct carried *c, const struct meta_carried_symbols *from, struct meta_carried_symbols *to)
{
	struct sonde_carried_symbol *symbols = arena_memdup(&c->texts, from->symbols,
							    from->nr_symbols * sizeof(*symbols));

	if (!symbols)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < from->nr_symbols; i++) {
		symbols[i].name = copy(c, symbols[i].name);
		if (!symbols[i].name)
			return -SONDE_NOMEM;
	}
	*to = (struct meta_carried_symbols){ .symbols = symbols, .nr_symbols = from->nr_symbols };
	return 0;
}

int carried_add(struct carried *c, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_carried; i++) {
		const struct meta_carried_symbols *from = &meta->carried[i];
		uint32_t n = strpool_add(&c->names, from->filename, strlen(from->filename));

		if (n == UINT32_MAX)
			return -SONDE_NOMEM;
		while (c->tables.n <= n)
			if (vec_push(&c->tables, ((struct meta_carried_symbols){ 0 })) < 0)
				return -SONDE_NOMEM;
		if (n && from->nr_symbols && !c->tables.at[n].nr_symbols && add_table(c, from, &c->tables.at[n]) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

bool carried_take(struct carried *c, const struct binary *b, struct symtab_builder *to)
{
	/* simpleperf names the map of a process without its directory */
	const char *slash = b->kind == BINARY_JIT ? strrchr(b->name, '/') : NULL;
	uint32_t n = b->guest ? UINT32_MAX : strpool_find(&c->names, slash ? slash + 1 : b->name, SIZE_MAX);
	const struct meta_carried_symbols *t = n < c->tables.n ? &c->tables.at[n] : NULL;

	for (size_t i = 0; t && i < t->nr_symbols; i++) {
		struct symtab_raw raw = { .start = t->symbols[i].start,
					  .size = t->symbols[i].size,
					  .binding = SYMTAB_GLOBAL };

		raw.name = symtab_builder_name(to, t->symbols[i].name, strlen(t->symbols[i].name));
		if (raw.name != SYMTAB_NONE)
			symtab_builder_add(to, &raw);
	}
	return t && t->nr_symbols;
}

void carried_free(struct carried *c)
{
	strpool_free(&c->names);
	arena_free(&c->texts);
	vec_free(&c->tables);
}
