/* SPDX-License-Identifier: MIT */
/* parts.c - the parts that scan/ has found become what the reader knows of a file: options,
 * buffers, sections, metadata */
#include "tracedat/format/encode.h"
#include "tracedat/read/metadata.h"
#include "tracedat/read/option.h"
#include "tracedat/read/parts.h"
#include "tracedat/read/tracedat.h"
#include "tracedat/read/view.h"
#include "tracedat/scan/search_pages.h"

/* ---- options ---- */

static int take_options(struct tracedat *f, const struct dat_part *part, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; i < part->items.n && r == 0; i++) {
		const struct dat_item *item = &part->items.at[i];

		r = dat_option_take(f, item, err);
		if (item->part != DAT_NONE && item->id < SECTION_POINTERS)
			f->part_of[item->id] = &f->file.parts.at[item->part];
	}
	return r;
}

/* Lists that no other leads to count only where one that might is missing. */
static int take_all_options(struct tracedat *f, struct sonde_error *err)
{
	struct dat_file *file = &f->file;
	int r = 0;

	for (size_t i = file->first_options; i < file->parts.n && r == 0; i = file->parts.at[i].next)
		r = take_options(f, &file->parts.at[i], err);
	for (size_t i = 0; i < file->parts.n && r == 0 && file->lacks_options; i++)
		if (file->parts.at[i].kind == DAT_PART_OPTIONS && !file->parts.at[i].reached)
			r = take_options(f, &file->parts.at[i], err);
	return r;
}

/* ---- buffers ---- */

static int take_extents(struct tracedat *f, const struct dat_buffer *from, struct meta_buffer *b)
{
	b->cpus = arena_calloc(&f->base.arena, from->extents.n ? from->extents.n : 1, sizeof(*b->cpus));
	if (!b->cpus)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < from->extents.n; i++) {
		const struct dat_extent *a = &from->extents.at[i];

		if (f->header.version == 6 && a->table_n == 0)  /* its table has a row for each CPU there could be */
			continue;
		b->cpus[b->nr_cpus++] = (struct sonde_cpu_pages){ a->cpu, a->table_at, a->table_n };
	}
	return 0;
}

static int take_buffers(struct tracedat *f, struct sonde_error *err)
{
	for (size_t i = 0; i < f->file.buffers.n; i++) {
		const struct dat_buffer *from = &f->file.buffers.at[i];
		struct meta_buffer b = { .name = from->name, .clock = from->clock, .page_size = from->page_size,
					  .compressed = from->packed };

		if (f->header.version == 6 && !f->has_clock)
			b.clock = NULL;
		if (take_extents(f, from, &b) < 0 || vec_push(&f->buffers, b) < 0)
			return err_nomem(err);
	}
	return 0;
}

/* ---- sections ---- */

/* Names are offsets in the payloads of all strings sections, one after the other. */
static int gather_strings(struct tracedat *f, struct buf *text)
{
	for (size_t i = 0; i < f->file.parts.n; i++) {
		const struct dat_part *part = &f->file.parts.at[i];
		uint8_t *p = NULL;
		size_t n;

		if (part->kind == DAT_PART_SECTION && part->id == SECTION_STRINGS &&
		    dat_part_load(&f->file, part, &p, &n, NULL) == 0)
			buf_put(text, p, n);
		free(p);
	}
	return text->failed;
}

static int list_sections(struct tracedat *f, struct sonde_error *err)
{
	struct buf text = BUF_MEMORY;
	int r = gather_strings(f, &text);

	for (size_t i = 0; i < f->file.parts.n && r == 0; i++) {
		const struct dat_part *part = &f->file.parts.at[i];
		struct sonde_section row = {
			.id = part->id, .file_offset = part->at, .size = part->bytes.n, .compressed = part->packed
		};

		if (part->kind == DAT_PART_RAW)
			continue;
		if (part->description < text.n) {
			row.name = arena_strndup(&f->base.arena, text.p + part->description,
						 strnlen(text.p + part->description, text.n - part->description));
			r = row.name ? 0 : -SONDE_NOMEM;
		}
		if (r == 0)
			r = vec_push(&f->sections, row);
	}
	buf_free(&text);
	return r < 0 ? err_nomem(err) : 0;
}

/* ---- metadata ---- */

static int take_section(struct tracedat *f, const struct dat_part *part, struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	struct view b = { .at = part->packed ? part->at : part->bytes.at, .packed = part->packed };
	struct cursor c;
	int r = dat_part_load(&f->file, part, &b.owned, &b.n, &failure);

	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0) {
		ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, part->at, SONDE_NONE, -1, "section not read: %s",
			   failure.text);
		return 0;
	}
	b.p = b.owned;
	c = dat_view_cursor(f, &b, NULL);
	r = dat_metadata_read(f, part->id, &b, &c, err);
	dat_view_free(&b);
	return r;
}

static const struct dat_part *find_metadata(struct tracedat *f, uint16_t id)
{
	if (f->part_of[id] || (f->header.version == 7 && !f->file.lacks_options))
		return f->part_of[id];
	return dat_file_section(&f->file, id);
}

/* In the order in which they need each other. The symbols are read when the first one is asked for. */
static int take_metadata(struct tracedat *f, struct sonde_error *err)
{
	static const uint16_t ids[] = { SECTION_HEADER_INFO, SECTION_FTRACE_FORMATS, SECTION_EVENT_FORMATS,
					SECTION_KALLSYMS,    SECTION_PRINTK,         SECTION_CMDLINES,
					SECTION_MODULES };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ids) && r == 0; i++) {
		const struct dat_part *part = find_metadata(f, ids[i]);

		if (!part || (ids[i] == SECTION_MODULES && !tracefmt_has_boots(f->formats)))
			continue;
		if (ids[i] != SECTION_KALLSYMS || part->cut)
			r = take_section(f, part, err);
		else
			f->kallsyms = part;
	}
	return r;
}

/* ---- what a latency tracer said ---- */

static int take_text(struct tracedat *f, const struct dat_part *part, struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	struct dat_block p = { .file_offset = part->bytes.at, .packed = part->packed, .held = true };
	uint32_t number;
	int r = dat_part_load_some(&f->file, part, &p.owned, &p.size, &failure);

	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, part->bytes.at, SONDE_NONE, -1,
			   "{text|texts} that {ends|end} too early: %s", failure.text);
	p.data = p.owned;
	number = dat_block_new(f, p);
	return number == BLOCK_NONE || vec_push(&f->texts, number) < 0 ? err_nomem(err) : 0;
}

static int take_texts(struct tracedat *f, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; i < f->file.parts.n && r == 0; i++)
		if (f->file.parts.at[i].kind == DAT_PART_TEXT)
			r = take_text(f, &f->file.parts.at[i], err);
	return r;
}

/* ---- pages that nothing points to ---- */

static bool has_pages(const struct tracedat *f)
{
	for (size_t i = 0; i < f->buffers.n; i++)
		if (f->buffers.at[i].nr_cpus)
			return true;
	return false;
}

static int take_stray_pages(struct tracedat *f, const struct dat_part *part, struct sonde_error *err)
{
	struct dat_buffer found = { .page_size = f->header.page_size,
				    .packed = part->kind == DAT_PART_BUFFER && part->packed };
	struct meta_buffer b = { .name = "", .page_size = found.page_size, .compressed = found.packed };
	uint64_t nr_pages;
	int r = dat_search_pages(&f->file, part->bytes.at, part->bytes.at + part->bytes.n, &found, &nr_pages);

	for (size_t i = 0; i < found.extents.n; i++) {
		found.extents.at[i].table_at = found.extents.at[i].bytes.at;
		found.extents.at[i].table_n = found.extents.at[i].bytes.n;
	}
	if (r == 0 && found.extents.n) {
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, nr_pages, part->bytes.at, SONDE_NONE, -1,
			   DAT_PAGES_FOUND);
		r = take_extents(f, &found, &b) < 0 ? -SONDE_NOMEM : vec_push(&f->buffers, b);
	}
	vec_free(&found.extents);
	return r < 0 ? err_nomem(err) : 0;
}

/* Version 6: a recorder that was killed leaves empty tables, and perhaps pages after them. */
static int take_all_stray_pages(struct tracedat *f, struct sonde_error *err)
{
	bool empty = f->header.version == 6 && !has_pages(f);
	int r = 0;

	for (size_t i = 0; i < f->file.parts.n && r == 0; i++) {
		const struct dat_part *part = &f->file.parts.at[i];

		if ((part->kind == DAT_PART_BUFFER && part->buffer == DAT_NONE && f->file.lacks_options) ||
		    (part->kind == DAT_PART_RAW && empty))
			r = take_stray_pages(f, part, err);
	}
	return r;
}

int dat_parts_take(struct tracedat *f, struct sonde_error *err)
{
	int r;

	f->nr_cpus = f->file.nr_cpus;
	r = take_all_options(f, err);
	r = r ? r : take_buffers(f, err);
	if (f->header.version == 7)
		r = r ? r : list_sections(f, err);
	r = r ? r : take_metadata(f, err);
	r = r ? r : take_texts(f, err);
	return r ? r : take_all_stray_pages(f, err);
}
