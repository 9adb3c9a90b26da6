/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/redact.h"

#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/rewrite/formats.h"
#include "tracedat/rewrite/redact_option.h"
#include "tracedat/rewrite/redact_verify.h"
#include "tracedat/rewrite/repair_metadata.h"
#include "tracedat/rewrite/repair_pages.h"
#include "tracefmt/redact/fields.h"
#include "tracefmt/redact/format.h"

/* ---- sections ---- */

enum section_fate { SECTION_LEFT_OUT, SECTION_KEPT, SECTION_FORMATS_CHANGED, SECTION_SYMBOLS_CHANGED };

/* A section without a row is left out. Options, strings and pages are written anew. */
static const enum section_fate fates[SECTION_POINTERS] = {
	[SECTION_STRINGS] = SECTION_KEPT,         /* not as it is: version_convert.c makes them of the new names */
	[SECTION_HEADER_INFO] = SECTION_KEPT,     /* the layout of a page */
	[SECTION_FTRACE_FORMATS] = SECTION_FORMATS_CHANGED,
	[SECTION_EVENT_FORMATS] = SECTION_FORMATS_CHANGED,
	[SECTION_KALLSYMS] = SECTION_SYMBOLS_CHANGED,
	[SECTION_PRINTK] = SECTION_KEPT,          /* format strings of the kernel */
	[SECTION_CMDLINES] = SECTION_KEPT,        /* names of commands */
	[SECTION_BTF] = SECTION_KEPT,             /* types of the kernel */
	[SECTION_MODULES] = SECTION_KEPT,
};

static int change_formats(struct dat_redact *r, uint16_t id, const uint8_t *p, size_t n, struct buf *out)
{
	struct redacted_formats c = { .names = &r->names };
	int e = dat_metadata_formats(p, n, id, r->w->in.swap, redact_take_format, &c);

	if (id == SECTION_FTRACE_FORMATS)
		format_lists_put(&c.lists, FTRACE_SYSTEM, r->w->in.swap, out);
	else
		format_lists_put_systems(&c.lists, NULL, r->w->in.swap, out);
	redacted_formats_free(&c);
	return e == -SONDE_NOMEM ? e : 0;
}

static int change_symbols(struct dat_redact *r, uint16_t id, const uint8_t *p, size_t n, struct buf *out)
{
	struct buf text = BUF_MEMORY;
	int e = redact_kallsyms(&r->names, dat_metadata_text(id, p, n), &text);

	if (e == 0)
		dat_metadata_put_text(out, id, r->w->in.swap, (struct sonde_str){ text.p, text.n });
	buf_free(&text);
	return e;
}

static int change_section(struct dat_redact *r, struct dat_part *part)
{
	enum section_fate fate = part->id < SECTION_POINTERS ? fates[part->id] : SECTION_LEFT_OUT;
	struct buf out = BUF_MEMORY;
	uint8_t *p;
	size_t n;
	int e;

	if (fate == SECTION_LEFT_OUT) {
		part->lost = true;
		dat_rewrite_lose(r->w, SONDE_LOSS_UNSUPPORTED, 1, part->at, -1,
				 "{section|sections} that {is|are} not known, and may hold names");
	}
	if (fate == SECTION_LEFT_OUT || fate == SECTION_KEPT)
		return 0;
	e = dat_part_load(&r->w->in, part, &p, &n, &r->w->handle->err);
	if (e < 0)
		return e;
	e = fate == SECTION_FORMATS_CHANGED ? change_formats(r, part->id, p, n, &out) :
					      change_symbols(r, part->id, p, n, &out);
	free(p);
	if (e < 0) {
		buf_free(&out);
		return err_nomem(&r->w->handle->err);
	}
	return dat_rewrite_replace(r->w, part, &out);
}

static int change_sections(struct dat_redact *r)
{
	int e = 0;

	for (size_t i = 0; i < r->w->in.parts.n && e == 0; i++)
		if (r->w->in.parts.at[i].kind == DAT_PART_SECTION && !r->w->in.parts.at[i].lost)
			e = change_section(r, &r->w->in.parts.at[i]);
	return e;
}

/* ---- pages ---- */

static const struct tracefmt_event *format_of(const struct dat_redact *r, struct sonde_bytes raw)
{
	return raw.len >= r->common.type_at + 2 ?
		tracefmt_event(r->formats, load_u16(raw.p + r->common.type_at, r->w->in.swap)) :
		NULL;
}

static int change_event(struct dat_redact *r, uint8_t *p, size_t n)
{
	struct sonde_bytes raw = { p, n };

	if (n > r->event_bytes) {
		uint8_t *grown = realloc(r->event, n);

		if (!grown)
			return err_nomem(&r->w->handle->err);
		r->event = grown;
		r->event_bytes = n;
	}
	if (redact_fields(&r->names, format_of(r, raw), raw, true, r->event) < 0)
		return err_nomem(&r->w->handle->err);
	memcpy(p, r->event, n);
	return 0;
}

static int change_page(struct dat_rewrite *w, uint8_t *p, size_t page_size)
{
	struct dat_redact *r = w->ctx;
	struct page_event ev;
	struct page page;
	int e = 0;

	dat_page_clear_unused(&w->in.layout, p, page_size);
	if (dat_page_open(&page, &w->in.layout, p, page_size, page_size) < 0)
		return 0;
	while (e == 0 && dat_page_next(&page, &ev) > 0)
		e = ev.size ? change_event(r, p + (ev.data - p), ev.size) : 0;
	return e;
}

/* ---- the whole ---- */

static int change_buffers(struct dat_redact *r)
{
	for (size_t i = 0; i < r->w->in.buffers.n; i++) {
		struct dat_buffer *b = &r->w->in.buffers.at[i];

		b->name = dat_redact_buffer(r, b->name, strlen(b->name));
		if (!b->name)
			return err_nomem(&r->w->handle->err);
	}
	return 0;
}

static int refuse(const struct dat_rewrite *w)
{
	struct sonde_error *err = &w->handle->err;

	if (!w->in.sound)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "is cut or damaged; 'sonde repair' comes first");
	if (!output_can_seek(&w->to))
		return err_set(
			err, SONDE_USAGE, SONDE_NONE,
			"what is redacted is searched for what was taken out: it cannot go to the standard output");
	for (size_t i = 0; i < w->in.parts.n; i++)
		if (w->in.parts.at[i].kind == DAT_PART_TEXT)
			return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "is the text of a latency tracer, in which names are not told from other words");
	return 0;
}

static int verify(struct dat_rewrite *w)
{
	const struct dat_redact *r = w->ctx;

	return dat_redact_verify(&r->names.removed, w->to.growing, &w->handle->err);
}

int dat_redact_begin(struct dat_redact *r, struct dat_rewrite *w)
{
	int e;

	*r = (struct dat_redact){ .w = w };
	e = refuse(w);
	w->in.keeps_gaps = false;
	if (e == 0)
		e = dat_mend_sections(w);
	if (e == 0)
		e = dat_repair_pages(w);
	if (e == 0)
		e = dat_rewrite_formats(w, &r->formats);
	if (e < 0)
		return e;
	r->common = tracefmt_common_fields(r->formats);
	if (redact_note_probes(&r->names, r->formats) < 0)
		return err_nomem(&w->handle->err);
	e = change_sections(r);
	if (e == 0)
		e = change_buffers(r);
	if (e == 0)
		e = dat_redact_options(r);
	w->change_page = change_page;
	w->verify = verify;
	w->ctx = r;
	return e;
}

void dat_redact_end(struct dat_redact *r)
{
	pseudonyms_free(&r->names);
	tracefmt_free(r->formats);
	free(r->event);
}
