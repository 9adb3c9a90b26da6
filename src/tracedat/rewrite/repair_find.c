/* SPDX-License-Identifier: MIT */
/* repair_find.c - parts of a trace.dat that nothing refers to */
#include <stdio.h>

#include "tracedat/format/encode.h"
#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/rewrite/repair_find.h"
#include "tracedat/scan/layout_v6.h"
#include "tracedat/scan/search_pages.h"

/* Whether n bytes are a list of options. */
static bool is_option_list(struct dat_file *f, uint64_t at, uint64_t n)
{
	uint64_t end = at + n;

	while (end - at >= 6) {
		const uint8_t *p = image_view(f->image, at, 6);
		uint16_t id = p ? load_u16(p, f->swap) : UINT16_MAX;
		uint32_t size = p ? load_u32(p + 2, f->swap) : UINT32_MAX;

		if (id > 64 || size > end - at - 6)
			return false;
		at += 6 + (uint64_t)size;
		if (id == OPTION_DONE)
			return size == 8 && at == end;
	}
	return false;
}

/* Whether the payload of a section fits its id. */
static bool is_payload(struct dat_file *f, uint16_t id, bool packed, uint64_t at, uint64_t n)
{
	const uint8_t *p = image_view(f->image, at, 8);
	uint64_t whole;

	if (id == SECTION_BUFFER)
		return n >= f->header.page_size || n == 0;  /* the next bytes decide */
	if (!p)
		return false;
	if (packed)
		return load_u32(p, f->swap) == n - 8 && load_u32(p + 4, f->swap);
	if (id == SECTION_OPTIONS)
		return is_option_list(f, at, n);
	if (id >= SECTION_HEADER_INFO && id <= SECTION_CMDLINES)
		return dat_metadata_measure(f->image, at, id, f->swap, &whole) && whole == n;
	return at + n == f->image->size;  /* strings come last; other payloads have no form */
}

/* Whether a section begins there: its end is the end of the file or the beginning of another section. */
static bool is_section(struct dat_file *f, uint64_t at, int depth)
{
	const uint8_t *p = image_view(f->image, at, SECTION_HEADER_BYTES);
	uint16_t id = p ? load_u16(p, f->swap) : UINT16_MAX, flags = p ? load_u16(p + 2, f->swap) : UINT16_MAX;
	uint64_t size = p ? load_u64(p + 8, f->swap) : 0, left = f->image->size - at - SECTION_HEADER_BYTES;
	bool known = dat_section_is_known(id);

	if (!p || !known || flags > SECTION_FLAG_COMPRESSED || size > left)
		return false;
	if (!is_payload(f, id, flags, at + SECTION_HEADER_BYTES, size))
		return false;
	return size == left || depth == 0 || is_section(f, at + SECTION_HEADER_BYTES + size, depth - 1);
}

/* The end of the last part, without parts that are cut. */
static size_t find_broken(struct dat_file *f)
{
	for (size_t i = 0; i < f->parts.n; i++)
		if (f->parts.at[i].cut || f->parts.at[i].kind == DAT_PART_RAW)
			return i;
	return DAT_NONE;
}

/* Version 7: searches after a section whose size is wrong. */
static int find_sections(struct dat_rewrite *w, size_t broken)
{
	struct dat_file *f = &w->in;
	uint64_t from = f->parts.at[broken].at, at = from + 1;
	int r = 1;

	while (at < f->image->size && !is_section(f, at, 1))
		at++;
	if (at >= f->image->size)
		return 0;
	if (f->parts.at[broken].cut)
		f->parts.at[broken].bytes.n = at > f->parts.at[broken].bytes.at ? at - f->parts.at[broken].bytes.at : 0;
	dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, from, -1,
			 "{section|sections} with a wrong size: later sections were searched for");
	while (r > 0 && at < f->image->size) {
		if (u64map_get(&f->part_at, at) != U64MAP_NONE && at != from)
			break;
		r = dat_layout_take_section(f, at, NULL);
		if (r > 0)
			at = f->parts.at[f->parts.n - 1].bytes.at + f->parts.at[f->parts.n - 1].bytes.n;
	}
	return r < 0 ? err_nomem(&w->handle->err) : 0;
}

/* Version 6: searches for the mark of the options or the data after metadata that is cut. */
static int find_data(struct dat_rewrite *w, size_t broken)
{
	static const char *const marks[] = { "options  ", "flyrecord" };
	struct dat_file *f = &w->in;
	uint64_t from = f->parts.at[broken].at;

	for (uint64_t at = from; at < f->image->size;) {
		size_t n;
		const uint8_t *p = image_view_some(f->image, at, 65536, &n), *mark = NULL;

		for (size_t i = 0; p && i < ARRAY_SIZE(marks) && !mark; i++)
			mark = memmem(p, n, marks[i], 10);
		if (mark && at + (uint64_t)(mark - p) >= from + 4) {
			at += (uint64_t)(mark - p) - 4;
			f->parts.at[broken].bytes.n = at - from;
			dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, from, -1,
					 "damaged metadata: later parts were searched for");
			return dat_layout_read_v6_data(f, at, NULL) < 0 ? err_nomem(&w->handle->err) : 0;
		}
		if (!p || n < 65536)
			break;
		at += n - 10;
	}
	return 0;
}

int dat_repair_find_sections(struct dat_rewrite *w)
{
	size_t broken = find_broken(&w->in);

	if (broken == DAT_NONE)
		return 0;
	if (w->in.header.version == 7)
		return find_sections(w, broken);
	return w->in.parts.at[broken].kind == DAT_PART_SECTION ? find_data(w, broken) : 0;
}

/*
 * Makes the pages between two offsets extents of buffer *into, or of a new buffer if it is DAT_NONE; *into becomes its
 * number.
 */
static int search_pages(struct dat_rewrite *w, uint64_t from, uint64_t to, bool packed, size_t *into)
{
	struct dat_buffer found = {
		.page_size = w->in.header.page_size, .packed = packed, .name = "", .clock = "local"
	};
	uint64_t nr_pages;
	int r = dat_search_pages(&w->in, from, to, &found, &nr_pages);
	char name[32];

	if (r == 0 && found.extents.n) {
		dat_rewrite_lose(w, SONDE_LOSS_TRUNCATED, nr_pages, from, -1, DAT_PAGES_FOUND);
		if (*into != DAT_NONE) {
			struct dat_buffer *b = &w->in.buffers.at[*into];

			vec_free(&b->extents);
			vec_free(&b->order);
			b->extents.at = found.extents.at;
			b->extents.n = found.extents.n;
			b->extents.cap = found.extents.cap;
			return 0;
		}
		if (w->in.buffers.n) {
			snprintf(name, sizeof(name), "found%zu", w->in.buffers.n);
			found.name = arena_strndup(&w->in.arena, name, strlen(name));
		}
		r = found.name ? dat_file_add_buffer(&w->in, found, into) : -SONDE_NOMEM;
		if (r == 0)
			return 0;
	}
	vec_free(&found.extents);
	return r < 0 ? err_nomem(&w->handle->err) : 0;
}

int dat_repair_find_pages(struct dat_rewrite *w)
{
	struct dat_file *f = &w->in;
	size_t parts = f->parts.n;
	int r = 0;

	for (size_t i = 0; i < parts && r == 0; i++) {
		struct dat_part *part = &f->parts.at[i];
		size_t into = 0;

		if (part->kind == DAT_PART_BUFFER && part->buffer == DAT_NONE)
			r = search_pages(w, part->bytes.at, part->bytes.at + part->bytes.n, part->packed,
					 &part->buffer);
		else if (part->kind == DAT_PART_RAW && f->header.version == 6 && f->buffers.n &&
			 !dat_buffer_has_pages(&f->buffers.at[0]))
			r = search_pages(w, part->bytes.at, part->bytes.at + part->bytes.n, false, &into);
	}
	return r;
}
