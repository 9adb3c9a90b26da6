/* SPDX-License-Identifier: MIT */
/* repair_metadata.c - the readable part of metadata that is cut, damaged or missing */
#include "tracedat/format/encode.h"
#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/rewrite/repair_metadata.h"
#include "tracedat/scan/extents.h"

static void lose(struct dat_rewrite *w, const struct dat_part *part, const char *how)
{
	ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, 1, part->at, SONDE_NONE, -1, "%s: %s",
		   dat_section_name(part->id), how);
}

static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	(void)at;
	return format_lists_add(ctx, system, text);
}

/* The event formats that are whole, with new counts. */
static int make_formats(struct buf *out, const uint8_t *p, size_t n, uint16_t id, bool swap)
{
	struct format_lists lists = { 0 };
	int r = dat_metadata_formats(p, n, id, swap, take_format, &lists);

	if (id == SECTION_FTRACE_FORMATS)
		format_lists_put(&lists, FTRACE_SYSTEM, swap, out);
	else
		format_lists_put_systems(&lists, NULL, swap, out);
	format_lists_free(&lists);
	return r;
}

static void make_header_info(struct buf *out, const struct dat_file *f)
{
	const struct sonde_str none = { "", 0 };

	dat_metadata_make_header_info(out, f->swap, none, none, f->header.long_size, f->header.page_size);
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
		return dat_rewrite_replace(w, &w->in.parts.at[number], &fresh);
	}
	if (keep) {
		free(p);
		return 0;
	}
	lose(w, part, r == 0 ? "only its beginning could be read" : "it cannot be decompressed");
	if (part->id == SECTION_HEADER_INFO)
		make_header_info(&fresh, &w->in);
	else if (part->id <= SECTION_EVENT_FORMATS)
		r = make_formats(&fresh, p, n, part->id, w->in.swap);
	else
		dat_metadata_put_text(&fresh, part->id, w->in.swap, dat_metadata_text(part->id, p, n));
	free(p);
	if (r == -SONDE_NOMEM)
		buf_free(&fresh);
	return r == -SONDE_NOMEM ? err_nomem(&w->handle->err) : dat_rewrite_replace(w, &w->in.parts.at[number], &fresh);
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
	return r < 0 && n ? dat_rewrite_replace(w, &w->in.parts.at[number], &fresh) : 0;
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

int dat_mend_sections(struct dat_rewrite *w)
{
	int r = 0;

	for (size_t i = 0; i < w->in.parts.n && r == 0; i++) {
		const struct dat_part *part = &w->in.parts.at[i];

		if (dat_part_is_metadata(part))
			r = mend_metadata(w, i);
		else if (part->packed &&
			 (part->kind == DAT_PART_TEXT ||
			  (part->kind == DAT_PART_SECTION && part->id != SECTION_STRINGS)))
			r = mend_other(w, i);
	}
	return r;
}

int dat_repair_metadata(struct dat_rewrite *w)
{
	int r = dat_mend_sections(w);

	if (r == 0 && !dat_file_section(&w->in, SECTION_HEADER_INFO))
		r = add_header_info(w);
	for (uint16_t id = SECTION_FTRACE_FORMATS; id <= SECTION_CMDLINES && r == 0; id++)
		if (!dat_file_section(&w->in, id) && id != SECTION_KALLSYMS && id != SECTION_PRINTK)
			ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, 1, SONDE_NONE, SONDE_NONE, -1,
				   "%s: it is missing", sonde_option_name(id));
	return r;
}
