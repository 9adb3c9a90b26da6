/* SPDX-License-Identifier: MIT */
#include "symbol/list/jitdump_lines.h"

#include <string.h>

#include "base/cursor.h"

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

/* The entry that the code belongs to: the last one that does not begin after it. */
static bool find(const struct jitdump *d, const struct jitdump_function *f, const uint8_t *bytes, uint64_t into,
		 struct line_entry *best)
{
	uint64_t shift = shift_of(d, f, bytes);
	struct cursor c = entries_of(d, f, bytes);
	struct line_entry e = { 0 };
	bool found = false;

	for (uint64_t i = 0; i < f->nr_lines && next_entry(&c, f, &e); i++) {
		e.into -= shift;
		if (e.into > into || (found && e.into < best->into))
			continue;
		*best = e;
		found = true;
	}
	return found;
}

bool jitdump_line(const struct jitdump *d, uint64_t offset, struct arena *texts, struct jitdump_line *out)
{
	const struct jitdump_function *f = jitdump_find(d, offset);
	struct line_entry e = { 0 };
	uint8_t *bytes;
	bool found;

	if (!f || !f->lines_size || f->lines_size > LINES_MOST)
		return false;
	bytes = malloc(f->lines_size);
	found = bytes && jitdump_bytes(d, f->lines_at, bytes, f->lines_size) &&
		find(d, f, bytes, offset - f->offset, &e);
	*out = (struct jitdump_line){ .function = d->names.at + f->name };
	if (found) {
		out->file = arena_strndup(texts, e.file.p, e.file.len);
		out->line = e.line;
		out->column = e.column;
	}
	free(bytes);
	return found && out->file;
}
