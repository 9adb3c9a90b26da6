/* SPDX-License-Identifier: MIT */
#include "symbol/list/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

struct kallsyms_line {
	uint64_t addr;
	char type;
	const char *name;
	size_t len;
	struct sonde_str module;
};

/* Reads the line at p and steps after it; false if it is none of ours. */
static bool next_line(const char **at, const char *end, struct kallsyms_line *l)
{
	const char *p = *at, *stop = memchr(p, '\n', (size_t)(end - p)), *name_end;
	int digits = 0, d;

	*at = stop ? stop + 1 : end;
	stop = stop ? stop : end;
	for (l->addr = 0; p < stop && (d = hex_digit(*p)) >= 0; p++, digits++)
		l->addr = l->addr << 4 | (uint64_t)d;
	if (!digits || digits > 16 || stop - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l->type = p[1];
	l->name = p + 3;
	l->module = (struct sonde_str){ "", 0 };
	name_end = stop;
	if (stop[-1] == ']') {  /* a line in fifty at most, so looking for the tab costs nothing elsewhere */
		const char *tab = memchr(l->name, '\t', (size_t)(stop - l->name));

		if (tab && stop - tab > 3 && tab[1] == '[') {
			l->module = (struct sonde_str){ tab + 2, (size_t)(stop - tab) - 3 };
			name_end = tab;
		}
	}
	l->len = (size_t)(name_end - l->name);
	return l->len > 0 && l->name[0];
}

int kallsyms_open(struct kallsyms *k, const char *text, size_t size)
{
	const char *p = text, *end = text + size;
	struct kallsyms_part *last = NULL;
	struct kallsyms_line l;

	*k = (struct kallsyms){ .text = text, .size = size };
	while (p < end) {
		size_t begin = (size_t)(p - text);
		struct kallsyms_part part = { .begin = begin };

		if (!next_line(&p, end, &l))
			continue;
		if (!last || !str_equal(last->module, l.module)) {
			part.module = l.module;
			if (vec_push(&k->parts, part) < 0) {
				kallsyms_close(k);
				return -SONDE_NOMEM;
			}
			last = &k->parts.at[k->parts.n - 1];
		}
		last->end = (size_t)(p - text);
	}
	return 0;
}

static bool is_wanted(char type)
{
	type &= ~0x20;
	return type == 'T' || type == 'W' || type == 'D' || type == 'B';
}

static size_t add_part(const struct kallsyms *k, const struct kallsyms_part *part, struct symtab_builder *b)
{
	const char *p = k->text + part->begin, *end = k->text + part->end;
	size_t added = 0;
	struct kallsyms_line l;

	while (p < end) {
		struct symtab_raw raw = { .binding = SYMTAB_LOCAL };

		if (!next_line(&p, end, &l) || !is_wanted(l.type) || l.name[0] == '$')
			continue;
		raw.start = l.addr;
		raw.name = symtab_builder_name(b, l.name, l.len);
		if (raw.name == SYMTAB_NONE)
			break;
		if (l.type == 'W' || l.type == 'w')
			raw.binding = SYMTAB_WEAK;
		else if (!(l.type & 0x20))
			raw.binding = SYMTAB_GLOBAL;
		symtab_builder_add(b, &raw);
		added++;
	}
	return added;
}

size_t kallsyms_add(const struct kallsyms *k, struct symtab_builder *b, struct sonde_str module)
{
	size_t added = 0;

	for (size_t i = 0; i < k->parts.n; i++)
		if (str_equal(k->parts.at[i].module, module))
			added += add_part(k, &k->parts.at[i], b);
	return added;
}

bool kallsyms_is_hidden(const struct kallsyms *k)
{
	const char *p = k->text, *end = k->text + k->size;
	struct kallsyms_line l;

	while (p < end)
		if (next_line(&p, end, &l) && is_wanted(l.type) && l.addr)
			return false;
	return true;
}

bool kallsyms_value(const struct kallsyms *k, const char *name, uint64_t *addr)
{
	const char *p = k->text, *end = k->text + k->size;
	size_t len = strlen(name);
	struct kallsyms_line l;

	while (p < end) {
		if (next_line(&p, end, &l) && l.len == len && !l.module.len && !memcmp(l.name, name, len)) {
			*addr = l.addr;
			return true;
		}
	}
	return false;
}

void kallsyms_close(struct kallsyms *k)
{
	vec_free(&k->parts);
	*k = (struct kallsyms){ 0 };
}
