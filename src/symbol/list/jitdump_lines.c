/* SPDX-License-Identifier: MIT */
#include "symbol/list/jitdump_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/sorted.h"

/* A function has a few thousand lines; more bytes than these are not read. */
#define LINES_MOST (UINT32_C(16) << 20)

/* perf inject puts an ELF header of this size before the code, and V8 adds it to its addresses. */
#define V8_SHIFT 0x40

struct line_entry {
	uint64_t into;               /* the function */
	uint32_t line, column;
	struct sonde_str file;
};

static bool is_text(struct sonde_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.p[i] < ' ')
			return false;
	return s.len > 0;
}

/* The next entry that makes sense: V8 writes some that do not, with addresses of nowhere. False at the end. */
static bool next_entry(struct cursor *c, const struct jitdump_function *f, struct line_entry *e)
{
	struct sonde_str last = e->file;

	for (;;) {
		e->into = cur_u64(c) - f->start;
		e->line = cur_u32(c);
		e->column = cur_u32(c);
		e->file = cur_strz(c);
		if (!cur_ok(c))
			return false;
		if (e->file.len == 1 && e->file.p[0] == '\xff')  /* that of the entry before */
			e->file = last;
		if (e->into < f->size + V8_SHIFT && is_text(e->file))
			return true;
	}
}

static struct cursor entries_of(const struct jitdump *d, const struct jitdump_function *f, const uint8_t *bytes)
{
	return cur_new(bytes, f->lines_size, f->lines_at, d->swap, NULL);
}

/* How far the addresses are from those of the code. */
static uint64_t shift_of(const struct jitdump *d, const struct jitdump_function *f, const uint8_t *bytes)
{
	struct cursor c = entries_of(d, f, bytes);
	struct line_entry e = { 0 };

	for (uint64_t i = 0; i < f->nr_lines && next_entry(&c, f, &e); i++)
		if (e.into < V8_SHIFT)
			return 0;
	return V8_SHIFT;
}

static int by_place(const void *va, const void *vb)
{
	const struct jitdump_place *a = va, *b = vb;

	if (a->into != b->into)
		return a->into < b->into ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Entries of one file stand together, so most names are those before. */
static uint32_t file_number(struct jitdump_lines *all, const struct line_entry *e, struct sonde_str *last,
			    uint32_t number)
{
	if (last->len == e->file.len && !memcmp(last->p, e->file.p, last->len))
		return number;
	*last = e->file;
	return strpool_add(&all->files, e->file.p, e->file.len);
}

/* The entries of the record, in order of their addresses. False when out of memory. */
static bool read_entries(struct jitdump_lines *all, const struct jitdump *d, const struct jitdump_function *f,
			 const uint8_t *bytes, struct jitdump_function_lines *to)
{
	uint64_t shift = shift_of(d, f, bytes);
	struct cursor c = entries_of(d, f, bytes);
	struct sonde_str last = { NULL, 0 };
	struct line_entry e = { 0 };
	uint32_t number = 0;

	for (uint64_t i = 0; i < f->nr_lines && next_entry(&c, f, &e); i++) {
		struct jitdump_place place = { .into = e.into - shift, .line = e.line, .column = e.column,
					       .order = (uint32_t)i };

		place.file = number = file_number(all, &e, &last, number);
		if (number == UINT32_MAX || vec_push(&to->places, place) < 0)
			return false;
	}
	if (to->places.n)
		qsort(to->places.at, to->places.n, sizeof(*to->places.at), by_place);
	return true;
}

static bool read_lines(struct jitdump_lines *all, const struct jitdump *d, const struct jitdump_function *f,
		       struct jitdump_function_lines *to)
{
	uint8_t *bytes = malloc(f->lines_size);
	bool good = bytes && jitdump_bytes(d, f->lines_at, bytes, f->lines_size) &&
		    read_entries(all, d, f, bytes, to);

	free(bytes);
	return good;
}

/* The lines of a function, read when the first of its addresses is asked for. NULL when out of memory. */
static const struct jitdump_function_lines *lines_of(struct jitdump_lines *all, const struct jitdump *d,
						     const struct jitdump_function *f)
{
	uint32_t i = u64map_get(&all->by_offset, f->offset);
	struct jitdump_function_lines lines = { 0 };

	if (i != U64MAP_NONE)
		return &all->functions.at[i];
	if (!read_lines(all, d, f, &lines))
		lines.places.n = 0;
	if (vec_push(&all->functions, lines) < 0) {
		vec_free(&lines.places);
		return NULL;
	}
	if (u64map_set(&all->by_offset, f->offset, (uint32_t)all->functions.n - 1) < 0)
		return NULL;
	return &all->functions.at[all->functions.n - 1];
}

/* The entry that the code belongs to: the last one that does not begin after it. */
static const struct jitdump_place *place_at(const struct jitdump_function_lines *lines, uint64_t into)
{
	size_t n = sorted_nr_at_most(lines->places.at, lines->places.n, into, into);

	return n ? &lines->places.at[n - 1] : NULL;
}

bool jitdump_line(struct jitdump_lines *all, const struct jitdump *d, uint64_t offset, struct jitdump_line *out)
{
	const struct jitdump_function *f = jitdump_find(d, offset);
	const struct jitdump_function_lines *lines;
	const struct jitdump_place *place;

	if (!f || !f->lines_size || f->lines_size > LINES_MOST)
		return false;
	lines = lines_of(all, d, f);
	place = lines ? place_at(lines, offset - f->offset) : NULL;
	if (!place)
		return false;
	*out = (struct jitdump_line){ .function = d->names.at + f->name, .file = strpool_get(&all->files, place->file),
				      .line = place->line, .column = place->column };
	return true;
}

void jitdump_lines_free(struct jitdump_lines *all)
{
	for (size_t i = 0; i < all->functions.n; i++)
		vec_free(&all->functions.at[i].places);
	vec_free(&all->functions);
	u64map_free(&all->by_offset);
	strpool_free(&all->files);
}
