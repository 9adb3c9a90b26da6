/* SPDX-License-Identifier: MIT */
/* repair_metadata.c - the readable part of metadata that is cut, damaged or missing */
#include "tracedat/format/metadata.h"
#include "tracedat/format/encode.h"
#include "tracedat/format/option.h"
#include "tracedat/rewrite/repair_metadata.h"
#include "tracedat/scan/extents.h"

static void lose(struct dat_rewrite *w, const struct dat_part *part, const char *how)
{
	ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, 1, part->at, SONDE_NONE, -1, "%s: %s",
		   dat_section_name(part->id), how);
}

/* Collects the whole event formats, with new counts. */
struct formats {
	struct buf out;
	const char *system;
	size_t count_at, systems_at;
	uint32_t nr, nr_systems;
	bool swap, one_system;             /* one_system: without names of systems */
};

static void end_system(struct formats *s)
{
	if (s->out.p && (s->one_system || s->system) && !s->out.failed)
		store_u32(s->out.p + s->count_at, s->nr, s->swap);
}

static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct formats *s = ctx;

	(void)at;
	if (!s->one_system && s->system != system) {
		end_system(s);
		put_strz(&s->out, system);
		s->count_at = s->out.n;
		put_u32(&s->out, 0, false);
		s->system = system;
		s->nr = 0;
		s->nr_systems++;
	}
	put_u64(&s->out, text.len, s->swap);
	buf_put(&s->out, text.p, text.len);
	s->nr++;
	return s->out.failed;
}

static void make_formats(struct buf *out, const uint8_t *p, size_t n, uint16_t id, bool swap)
{
	struct formats s = { .out = BUF_MEMORY, .swap = swap, .one_system = id == SECTION_FTRACE_FORMATS };

	put_u32(&s.out, 0, false);
	dat_metadata_formats(p, n, id, swap, take_format, &s);
	end_system(&s);
	if (!s.one_system && !s.out.failed)
		store_u32(s.out.p, s.nr_systems, swap);
	*out = s.out;
}

/* A text after its length, as far as it goes. */
static void make_text(struct buf *out, const uint8_t *p, size_t n, size_t length_bytes, bool swap)
{
	size_t text = n > length_bytes ? n - length_bytes : 0;

	if (length_bytes == 8)
		put_u64(out, text, swap);
	else
		put_u32(out, (uint32_t)text, swap);
	if (text)
		buf_put(out, p + (n - text), text);
}

static void make_header_info(struct buf *out, const struct dat_file *f)
{
	const struct sonde_str none = { "", 0 };

	dat_metadata_make_header_info(out, f->swap, none, none, f->header.long_size, f->header.page_size);
}

static int replace(struct dat_rewrite *w, size_t number, struct buf *with)
{
	struct dat_part *part = &w->in.parts.at[number];
	uint8_t *p = with->failed ? NULL : arena_memdup(&w->in.arena, with->p, with->n ? with->n : 1);
	size_t n = with->n;

	buf_free(with);
	if (!p)
		return err_nomem(&w->handle->err);
	part->bytes = (struct dat_bytes){ .p = p, .n = n };
	part->packed = part->cut = false;
	return 0;
}

static int mend_metadata(struct dat_rewrite *w, size_t number)
{
	struct dat_part *part = &w->in.parts.at[number];
	struct buf fresh = BUF_MEMORY;
	struct image memory;
	uint64_t whole;
	uint8_t *p = NULL;
	size_t n = 0;
	bool keep = false;
	int r = dat_part_load(&w->in, part, &p, &n, NULL);

	if (r == -SONDE_NOMEM || r == -SONDE_SYSTEM)
		return err_nomem(&w->handle->err);
	if (r == 0) {
		image_memory(&memory, p, n);
		keep = dat_metadata_measure(&memory, 0, part->id, w->in.swap, &whole);
		if (keep && part->id == SECTION_HEADER_INFO) {
			dat_layout_take_header_page(&w->in, p, n);
			keep = w->in.has_layout;
		}
	}
	if (keep && whole < n) {
		/* a killed recorder leaves room that the names of tasks would have used */
		if (p[whole] != 0 || memcmp(p + whole, p + whole + 1, n - (size_t)whole - 1) != 0)
			lose(w, part, "{byte|bytes} after it {does|do} not belong to it");
		buf_put(&fresh, p, (size_t)whole);
		free(p);
		return replace(w, number, &fresh);
	}
	if (keep) {
		free(p);
		return 0;
	}
	lose(w, part, r == 0 ? "only its beginning could be read" : "it cannot be decompressed");
	if (part->id == SECTION_HEADER_INFO)
		make_header_info(&fresh, &w->in);
	else if (part->id <= SECTION_EVENT_FORMATS)
		make_formats(&fresh, p, n, part->id, w->in.swap);
	else
		make_text(&fresh, p, n, part->id == SECTION_CMDLINES ? 8 : 4, w->in.swap);
	free(p);
	return replace(w, number, &fresh);
}

/* Keeps the chunks of a text up to the first damaged one; other damaged sections are dropped. */
static int mend_other(struct dat_rewrite *w, size_t number)
{
	struct dat_part *part = &w->in.parts.at[number];
	struct buf fresh = BUF_MEMORY;
	uint8_t *p;
	size_t n;
	int r = dat_part_load_some(&w->in, part, &p, &n, NULL);

	if (r == -SONDE_NOMEM || r == -SONDE_SYSTEM) {
		free(p);
		return err_nomem(&w->handle->err);
	}
	if (r < 0)
		lose(w, part, n ? "only its beginning could be read" : "it cannot be decompressed");
	if (r < 0 && n)
		buf_put(&fresh, p, n);
	else
		part->lost = r < 0;
	free(p);
	return r < 0 && n ? replace(w, number, &fresh) : 0;
}

/* Replaces HEADER_INFO, without which no page can be read. */
static int add_header_info(struct dat_rewrite *w)
{
	struct buf fresh = BUF_MEMORY;
	size_t number;
	int r;

	dat_rewrite_lose(w, SONDE_LOSS_FEATURE, 1, SONDE_NONE, -1,
			 "HEADER_INFO: it is missing, so pages are read as those of a current kernel");
	make_header_info(&fresh, &w->in);
	r = fresh.failed ? -SONDE_NOMEM : dat_file_add_bytes(&w->in, SECTION_HEADER_INFO, fresh.p, fresh.n, &number);
	buf_free(&fresh);
	w->in.layout = dat_page_layout_default(w->in.header.big_endian, w->in.header.long_size);
	w->in.has_layout = true;
	return r < 0 ? err_nomem(&w->handle->err) : 0;
}

int dat_repair_metadata(struct dat_rewrite *w)
{
	int r = 0;

	for (size_t i = 0; i < w->in.parts.n && r == 0; i++) {
		const struct dat_part *part = &w->in.parts.at[i];
		bool metadata = part->kind == DAT_PART_SECTION && part->id >= SECTION_HEADER_INFO &&
			part->id <= SECTION_CMDLINES;

		if (metadata)
			r = mend_metadata(w, i);
		else if (part->packed &&
			 (part->kind == DAT_PART_TEXT ||
			  (part->kind == DAT_PART_SECTION && part->id != SECTION_STRINGS)))
			r = mend_other(w, i);
	}
	if (r == 0 && !dat_file_section(&w->in, SECTION_HEADER_INFO))
		r = add_header_info(w);
	for (uint16_t id = SECTION_FTRACE_FORMATS; id <= SECTION_CMDLINES && r == 0; id++)
		if (!dat_file_section(&w->in, id) && id != SECTION_KALLSYMS && id != SECTION_PRINTK)
			ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, 1, SONDE_NONE, SONDE_NONE, -1,
				   "%s: it is missing", sonde_option_name(id));
	return r;
}
