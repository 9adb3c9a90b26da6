/* SPDX-License-Identifier: MIT */
#include "tracedat/scan/check.h"

#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/format/pages.h"
#include "tracedat/scan/layout.h"
#include "tracefmt/field.h"
#include "tracefmt/tracefmt.h"

#define MAX_ID 65535

struct dat_check {
	struct dat_file f;
	struct findings *found;
	struct sonde_error *err;
	struct tracefmt *formats;
	const struct dat_part *section;  /* the section whose formats are read */
	uint8_t known[(MAX_ID + 1) / 8], told[(MAX_ID + 1) / 8];  /* bits: event ids */
	struct tracefmt_common common;
	uint64_t records;
};

static bool has_bit(const uint8_t *bits, uint32_t n)
{
	return bits[n / 8] >> n % 8 & 1;
}

static void set_bit(uint8_t *bits, uint32_t n)
{
	bits[n / 8] = (uint8_t)(bits[n / 8] | 1u << n % 8);
}

static int check_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct dat_check *c = ctx;
	struct sonde_error why = { .file_offset = SONDE_NONE };
	int r = tracefmt_add_format(c->formats, system, text, &why);

	if (r == -SONDE_NOMEM)
		return r;
	if (r < 0)
		dat_found(c->found, DAT_CHECK_FORMAT, c->section->packed ? c->section->at : c->section->bytes.at + at,
			  system, "a format", "%s", why.text);
	return c->found->stopped;
}

static int check_section(struct dat_check *c, const struct dat_part *part)
{
	struct sonde_error why = { .file_offset = SONDE_NONE };
	const char *name = dat_section_name(part->id);
	struct image memory;
	uint64_t whole;
	uint8_t *p;
	size_t n;
	int r;

	if (part->cut || !(dat_part_is_metadata(part) || part->packed))
		return 0;  /* it has been told; nothing is known of it */
	r = dat_part_load(&c->f, part, &p, &n, &why);
	if (r == -SONDE_NOMEM || r == -SONDE_SYSTEM)
		return r;
	if (r < 0) {
		dat_found(c->found, DAT_CHECK_SECTION_PACKED, part->at, name, "compressed bytes", "%s", why.text);
		return 0;
	}
	if (!dat_part_is_metadata(part)) {
		free(p);
		return 0;
	}
	image_memory(&memory, p, n);
	if (!dat_metadata_measure(&memory, 0, part->id, c->f.swap, &whole))
		dat_found(c->found, DAT_CHECK_METADATA_CUT, part->at, name, "all of it", "%zu bytes", n);
	else if (whole < n)
		dat_found(c->found, DAT_CHECK_METADATA_REST, part->at, name, "the end", "%" PRIu64 " bytes more",
			  n - whole);
	c->section = part;
	if (part->id == SECTION_FTRACE_FORMATS || part->id == SECTION_EVENT_FORMATS)
		r = dat_metadata_formats(p, n, part->id, c->f.swap, check_format, c);
	free(p);
	return r;
}

static void collect_ids(struct dat_check *c)
{
	size_t nr = tracefmt_nr_events(c->formats);

	c->common = tracefmt_common_fields(c->formats);
	for (size_t i = 0; i < nr; i++)
		if (tracefmt_event_at(c->formats, i)->id <= MAX_ID)
			set_bit(c->known, (uint32_t)tracefmt_event_at(c->formats, i)->id);
}

static int check_metadata(struct dat_check *c)
{
	size_t item;
	const struct dat_part *unfinished = dat_file_unfinished(&c->f, &item);
	int r = 0;

	if (unfinished)
		dat_found(c->found, DAT_CHECK_UNFINISHED, unfinished->at, "options", "CPUSTAT of each CPU", "\"%s\"",
			  "Recording: unfinished");
	if (!dat_file_section(&c->f, SECTION_HEADER_INFO))
		dat_found(c->found, DAT_CHECK_METADATA_MISSING, SONDE_NONE, "file", "HEADER_INFO", "none");
	else if (!c->f.has_layout)
		dat_found(c->found, DAT_CHECK_HEADER_PAGE, dat_file_section(&c->f, SECTION_HEADER_INFO)->at,
			  "HEADER_INFO", "fields commit and data", "something else");
	for (size_t i = 0; i < c->f.parts.n && r == 0 && !c->found->stopped; i++) {
		const struct dat_part *part = &c->f.parts.at[i];

		if (part->kind == DAT_PART_SECTION || part->kind == DAT_PART_TEXT)
			r = check_section(c, part);
		else if (part->kind == DAT_PART_BUFFER && part->buffer == DAT_NONE && part->bytes.n)
			dat_found(c->found, DAT_CHECK_BUFFER_STRAY, part->at, "BUFFER", "an option that describes it",
				  "none");
	}
	collect_ids(c);
	return r;
}

/* Ids of events without a format are told once each. */
static void check_ids(struct dat_check *c, const uint8_t *p, size_t n, size_t page_size, uint64_t at)
{
	struct page_event ev;
	struct page page;

	if (dat_page_open(&page, &c->f.layout, p, n, page_size) < 0)
		return;
	while (dat_page_next(&page, &ev) > 0) {
		uint32_t id = ev.size >= c->common.type_at + 2 ? load_u16(ev.data + c->common.type_at, c->f.swap) : 0;

		if (id == 0 || has_bit(c->known, id) || has_bit(c->told, id))
			continue;
		set_bit(c->told, id);
		dat_found(c->found, DAT_CHECK_EVENT_ID, at, "pages", "an id that is described", "%u", id);
	}
}

static void check_page(struct dat_check *c, const struct dat_buffer *b, const uint8_t *p, size_t n, uint64_t at,
		       uint64_t *last)
{
	struct page_content e;

	if (n < b->page_size)
		dat_found(c->found, DAT_CHECK_EXTENT_CUT, at, "pages", "a whole page", "%zu bytes", n);
	if (dat_page_measure(&c->f.layout, p, n, b->page_size, &e) < 0) {
		dat_found(c->found, DAT_CHECK_PAGE, at, "pages", "a page", "one of %u bytes that holds more",
			  b->page_size);
		return;
	}
	if (e.overfull)
		dat_found(c->found, DAT_CHECK_PAGE, at, "pages", "a page", "one of %u bytes that holds more",
			  b->page_size);
	c->records += e.events;
	if (e.damaged)
		dat_found(c->found, DAT_CHECK_PAGE_EVENT, at, "pages", "an event", "none at byte %u of the page",
			  c->f.layout.data_at + e.good);
	if (e.events && e.first < *last)
		dat_found(c->found, DAT_CHECK_PAGE_TIME, at, "pages", "a later time", "%" PRIu64 " ns earlier",
			  *last - e.first);
	if (e.events)
		*last = e.last;
	check_ids(c, p, n, b->page_size, at);
}

static int check_extent(struct dat_check *c, const struct dat_buffer *b, const struct dat_extent *a)
{
	struct page_reader from;
	struct page_run run;
	uint64_t last = 0;
	int r;

	dat_pages_start(&from, &c->f, b, a);
	while ((r = dat_pages_next(&from, &run, c->err)) > 0 && !c->found->stopped)
		for (size_t at = 0; at < run.n; at += b->page_size)
			check_page(c, b, run.p + at, run.n - at < b->page_size ? run.n - at : b->page_size,
				   run.packed ? run.at : run.at + at, &last);
	if (from.nr_damaged)
		dat_found(c->found, DAT_CHECK_CHUNK, from.damaged_at, "pages", "compressed pages",
			  "%" PRIu64 " chunks of CPU %u that are none", from.nr_damaged, a->cpu);
	dat_pages_end(&from);
	return r < 0 ? r : 0;
}

static int check_pages(struct dat_check *c)
{
	bool any = dat_file_option(&c->f, SECTION_BUFFER_TEXT) || dat_file_has_pages(&c->f);
	int r = 0;

	for (size_t i = 0; i < c->f.parts.n; i++)
		any = any || c->f.parts.at[i].kind == DAT_PART_TEXT;
	for (size_t i = 0; i < c->f.buffers.n && r == 0; i++)
		for (size_t k = 0; k < c->f.buffers.at[i].extents.n && r == 0 && !c->found->stopped; k++)
			if (c->f.has_layout)
				r = check_extent(c, &c->f.buffers.at[i], &c->f.buffers.at[i].extents.at[k]);
	if (!any)
		dat_found(c->found, DAT_CHECK_NO_DATA, SONDE_NONE, "file", "pages", "none");
	return r;
}

int dat_check(struct image *im, struct findings *f, uint64_t *records, struct sonde_error *err)
{
	struct dat_check *c = calloc(1, sizeof(*c));
	int r;

	*records = 0;
	if (!c)
		return err_nomem(err);
	c->found = f;
	c->err = err;
	r = dat_layout_read(&c->f, im, f, DAT_DEEP, NULL);
	if (r < 0 && r != -SONDE_NOMEM && r != -SONDE_SYSTEM) {
		r = image_failed(im, err);  /* a header that cannot be used has been told, and leads nowhere */
	} else if (r == 0) {
		c->formats = tracefmt_new(c->f.header.big_endian, c->f.header.long_size);
		r = c->formats ? check_metadata(c) : -SONDE_NOMEM;
		if (r == 0)
			r = check_pages(c);
		*records = c->records;
	}
	if (r == -SONDE_NOMEM)
		err_nomem(err);
	else if (r == 0)
		r = image_failed(im, err);
	tracefmt_free(c->formats);
	dat_file_free(&c->f);
	free(c);
	return r < 0 ? r : f->stopped;
}
