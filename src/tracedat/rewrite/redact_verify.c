/* SPDX-License-Identifier: MIT */
/*
 * redact_verify.c - is anything that was replaced still there?
 *
 * Paths are searched for in every byte of the output, and in what its compressed parts expand to. Other names can be
 * words of any kind: they are searched for in options with names and in the strings and bytes of events, not in
 * numbers, which can spell a name by chance, nor in texts that stay on purpose.
 */
#include "tracedat/rewrite/redact_verify.h"

#include "base/str.h"
#include "tracedat/format/pages.h"
#include "tracedat/rewrite/formats.h"
#include "tracefmt/field.h"
#include "tracefmt/redact/fields.h"
#include "tracefmt/redact/search.h"

#define WORDS (SEARCH_WORD | SEARCH_STRING)

struct last_look {
	const struct multi_search *removed;
	struct sonde_rewrite handle; /* for its errors */
	struct dat_rewrite w;        /* the new file, as one that is to be rewritten */
	struct tracefmt *formats;
	struct tracefmt_common common;
};

static int search_event(struct last_look *l, struct sonde_bytes raw, uint64_t at)
{
	const struct tracefmt_event *e = NULL;
	struct sonde_bytes field;
	enum redact_kind kind;
	int r = 0;

	if (raw.len >= l->common.type_at + 2)
		e = tracefmt_event(l->formats, load_u16(raw.p + l->common.type_at, l->w.in.swap));
	if (!e)
		return redact_search(l->removed, WORDS, raw.p, raw.len, at, &l->handle.err);
	for (size_t i = 0; r == 0 && i < e->nr_fields; i++)
		if (redact_field(e, &e->fields[i], raw, true, &kind, &field) &&
		    (kind == REDACT_TEXT || kind == REDACT_BYTES))
			r = redact_search(l->removed, WORDS, field.p, field.len, at, &l->handle.err);
	return r;
}

static int search_page(struct last_look *l, const uint8_t *p, size_t n, uint32_t page_size, uint64_t at)
{
	struct page_event ev;
	struct page page;
	int r = 0;

	if (dat_page_open(&page, &l->w.in.layout, p, n, page_size) < 0)
		return 0;
	while (r == 0 && dat_page_next(&page, &ev) > 0)
		r = search_event(l, (struct sonde_bytes){ ev.data, ev.size }, at);
	return r;
}

static int search_extent(struct last_look *l, const struct dat_buffer *b, const struct dat_extent *a)
{
	struct sonde_error *err = &l->handle.err;
	struct page_reader from;
	struct page_run run;
	int r, failed = 0;

	dat_pages_start(&from, &l->w.in, b, a);
	while (failed == 0 && (r = dat_pages_next(&from, &run, err)) != 0) {
		failed = r < 0 ? r : 0;
		if (r > 0 && run.packed)
			failed = redact_search(l->removed, SEARCH_ANYWHERE, run.p, run.n, run.at, err);
		for (size_t at = 0; r > 0 && failed == 0 && at < run.n; at += b->page_size)
			failed = search_page(l, run.p + at, run.n - at < b->page_size ? run.n - at : b->page_size,
					     b->page_size, run.packed ? run.at : run.at + at);
	}
	if (failed == 0 && from.nr_damaged)
		failed = err_set(err, SONDE_CORRUPT, from.damaged_at, "what was written cannot be read again");
	dat_pages_end(&from);
	return failed;
}

/* The part of an option where names can stand. The release of a kernel stays, which can have the host's name in it. */
static struct sonde_bytes names_in(const struct dat_item *item)
{
	struct sonde_bytes none = { NULL, 0 };
	struct sonde_str rest = { (const char *)item->data.p, item->data.len };

	switch (item->id) {
	case DAT_OPTION_UNAME:
		str_take(&rest, ' ');
		rest = str_take(&rest, ' ');
		return (struct sonde_bytes){ (const uint8_t *)rest.p, rest.len };
	case DAT_OPTION_PROCMAPS:
	case DAT_OPTION_GUEST:
	case SECTION_BUFFER:
		return item->data;
	}
	return none;
}

static int search_part(struct last_look *l, const struct dat_part *part)
{
	uint8_t *p;
	size_t n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < part->items.n; i++) {
		struct sonde_bytes names = names_in(&part->items.at[i]);

		if (names.len)
			r = redact_search(l->removed, WORDS, names.p, names.len, part->items.at[i].at, &l->handle.err);
	}
	if (r < 0 || part->kind != DAT_PART_SECTION || !part->packed)
		return r;
	r = dat_part_load(&l->w.in, part, &p, &n, &l->handle.err);
	if (r < 0)
		return r;
	r = redact_search(l->removed, SEARCH_ANYWHERE, p, n, part->at, &l->handle.err);
	free(p);
	return r;
}

static int search_all(struct last_look *l)
{
	struct dat_file *f = &l->w.in;
	struct sonde_error *err = &l->handle.err;
	int r = redact_search_file(l->removed, &l->w.image, err);

	if (r == 0)
		r = dat_layout_read(f, &l->w.image, NULL, DAT_DEEP, err);
	if (r == 0)
		r = dat_rewrite_formats(&l->w, &l->formats);
	if (r < 0)
		return r;
	l->common = tracefmt_common_fields(l->formats);
	for (size_t i = 0; r == 0 && i < f->parts.n; i++)
		r = search_part(l, &f->parts.at[i]);
	for (size_t i = 0; r == 0 && i < f->buffers.n; i++)
		for (size_t k = 0; r == 0 && k < f->buffers.at[i].extents.n; k++)
			if (f->buffers.at[i].extents.at[k].bytes.n)
				r = search_extent(l, &f->buffers.at[i], &f->buffers.at[i].extents.at[k]);
	return r;
}

int dat_redact_verify(const struct multi_search *removed, const char *path, struct sonde_error *err)
{
	struct last_look l = { .removed = removed, .handle.err.file_offset = SONDE_NONE, .w.to.buf.fd = -1 };
	int r = image_open(&l.w.image, path, err);

	if (r < 0)
		return r;
	l.w.handle = &l.handle;
	dat_file_init(&l.w.in, &l.w.image);
	r = search_all(&l);
	if (r < 0)
		*err = l.handle.err;
	tracefmt_free(l.formats);
	dat_file_free(&l.w.in);
	image_close(&l.w.image);
	ledger_free(&l.handle.ledger);
	return r;
}
