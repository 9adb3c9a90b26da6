/* SPDX-License-Identifier: MIT */
#include "symbol/table/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbol/table/cache_file.h"

/*
 * Changes with the layout and with the rules by which symbols are chosen. Reads differently on a host of other byte
 * order.
 */
#define MAGIC UINT64_C(0x0003736d79736473)

/* Followed by the top index, starts, entries, strings, and the name of the source with its NUL. */
struct file_header {
	uint64_t magic;
	uint64_t identity[2], refs[2];
	uint64_t strings_size;
	uint32_t n;
	uint32_t source_size;
};

/* Points the table at the parts of the file; false if they are not all there. What every look-up needs is read. */
static bool view(struct symtab *t, const struct file_header *h)
{
	uint64_t left = t->file->size - sizeof(*h), per_symbol = sizeof(*t->starts) + sizeof(*t->entries);
	uint64_t top = symtab_top_size(h->n) * sizeof(*t->top);
	const uint8_t *p = t->file->data + sizeof(*h);
	const char *source;

	if (top > left)
		return false;
	left -= top;
	if (h->n > left / per_symbol || h->strings_size > left - h->n * per_symbol ||
	    h->source_size != left - h->n * per_symbol - h->strings_size || !h->strings_size || !h->source_size)
		return false;
	t->n = h->n;
	t->top = paged_file_need(t->file, p, top);
	p += top;
	t->starts = (const uint64_t *)p;
	p += h->n * sizeof(*t->starts);
	t->entries = (const struct symtab_entry *)p;
	p += h->n * sizeof(*t->entries);
	t->strings = (const char *)p;
	t->strings_size = h->strings_size;
	source = (const char *)p + h->strings_size;
	paged_file_need(t->file, source - 1, h->source_size + 1);
	if (t->strings[h->strings_size - 1] || source[h->source_size - 1])
		return false;
	t->source = source;
	return true;
}

struct symtab *cache_find(const char *dir, const struct cache_key *key, uint64_t refs[2])
{
	struct symtab *t = symtab_new();
	struct file_header h;
	int fd = t ? cache_file_open(dir, key->name) : -1;

	if (fd < 0)
		goto none;
	t->file = paged_file_open(fd);
	if (!t->file || t->file->size < sizeof(h))
		goto none;
	memcpy(&h, paged_file_need(t->file, t->file->data, sizeof(h)), sizeof(h));
	if (h.magic != MAGIC || memcmp(h.identity, key->identity, sizeof(h.identity)) || !view(t, &h))
		goto none;
	if (refs)
		memcpy(refs, h.refs, sizeof(h.refs));
	return t;
none:
	symtab_free(t);
	return NULL;
}

void cache_store(const char *dir, const struct cache_key *key, const struct symtab *t, const uint64_t refs[2])
{
	struct file_header h = {
		.magic = MAGIC, .identity = { key->identity[0], key->identity[1] }, .refs = { refs[0], refs[1] },
		.strings_size = t->strings_size, .n = t->n, .source_size = (uint32_t)strlen(t->source) + 1,
	};
	uint32_t nr_top = symtab_top_size(t->n);
	uint64_t *top = malloc(nr_top * sizeof(*top) + 1);
	const struct cache_part parts[] = {
		{ &h, sizeof(h) }, { top, nr_top * sizeof(*top) }, { t->starts, t->n * sizeof(*t->starts) },
		{ t->entries, t->n * sizeof(*t->entries) }, { t->strings, t->strings_size },
		{ t->source, h.source_size },
	};

	if (!top)
		return;
	for (uint32_t i = 0; i < nr_top; i++)
		top[i] = t->starts[(size_t)i * SYMTAB_TOP_STEP];
	cache_file_write(dir, key->name, parts, ARRAY_SIZE(parts), UINT64_MAX);
	free(top);
}
