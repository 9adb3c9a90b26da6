/* SPDX-License-Identifier: MIT */
/*
 * version_convert.c - converts between the versions of trace.dat
 *
 * Both have the same metadata, options and pages. Version 6 has no sections besides the metadata, one page size, and a
 * table of all CPUs; version 7 refers to its sections by options.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tracedat/format/encode.h"
#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/format/pages.h"
#include "tracedat/write/version_convert.h"

#define MAX_ROWS (1u << 22)          /* in the tables of version 6 */

/* The parts of the new version, while those of the old one are converted. */
struct change {
	struct ledger *losses;       /* may be NULL */
	struct sonde_error *err;
	struct dat_file *f;
	VEC(struct dat_part) old;
	struct buf strings;
};

static void lose(struct change *c, enum sonde_loss_kind kind, uint64_t count, uint64_t at, int32_t cpu,
		 const char *what)
{
	if (c->losses)
		ledger_add(c->losses, kind, count, at, SONDE_NONE, cpu, "%s", what);
}

static struct dat_part *find_old(struct change *c, enum dat_part_kind kind, uint16_t id)
{
	for (size_t i = 0; i < c->old.n; i++)
		if (c->old.at[i].kind == kind && c->old.at[i].id == id && !c->old.at[i].lost)
			return &c->old.at[i];
	return NULL;
}

static uint32_t describe(struct change *c, uint16_t id, const char *name)
{
	uint32_t at = (uint32_t)c->strings.n;

	buf_str(&c->strings, dat_section_title(id));
	if (id == SECTION_BUFFER || id == SECTION_BUFFER_TEXT)
		buf_printf(&c->strings, " %s", name);
	buf_char(&c->strings, 0);
	return at;
}

static struct dat_part fresh(struct change *c, enum dat_part_kind kind, uint16_t id, const char *name)
{
	struct dat_part part = dat_part_new(kind, id, SONDE_NONE);

	part.ended = part.has_options = true;
	part.description = describe(c, id, name);
	return part;
}

/* Cuts bytes after the metadata: version 6 has no length of the whole, so they would be taken for the next part. */
static int trim_metadata(struct change *c, struct dat_part *part)
{
	struct image im;
	uint8_t *p = NULL;
	uint64_t whole;
	size_t n;
	int r = dat_part_load(c->f, part, &p, &n, c->err);

	if (r < 0)
		return r;
	image_memory(&im, p, n);
	if (!dat_metadata_measure(&im, 0, part->id, c->f->swap, &whole)) {
		r = err_set(c->err, SONDE_CORRUPT, part->at, "its metadata is cut: 'sonde repair' comes first");
	} else if (whole < n) {
		lose(c, SONDE_LOSS_UNSUPPORTED, n - whole, part->at, -1,
		     "{byte|bytes} after metadata, which version 6 cannot hold");
		part->bytes = (struct dat_bytes){ .p = arena_memdup(&c->f->arena, p, whole ? whole : 1), .n = whole };
		part->packed = false;
		r = part->bytes.p ? 0 : err_nomem(c->err);
	}
	free(p);
	return r;
}

/* The six kinds of metadata; only the first is required. */
static int take_metadata(struct change *c)
{
	for (uint16_t id = SECTION_HEADER_INFO; id <= SECTION_CMDLINES; id++) {
		struct dat_part *old = find_old(c, DAT_PART_SECTION, id), part;
		size_t number;
		int r;

		if (!old && id == SECTION_HEADER_INFO)
			return err_set(c->err, SONDE_CORRUPT, SONDE_NONE,
				       "has no header_page: 'sonde repair' comes first");
		if (!old) {
			r = dat_file_add_bytes(c->f, id, NULL, 0, &number);
			if (r == 0)
				c->f->parts.at[number].description = describe(c, id, "");
		} else {
			part = *old;
			r = c->f->header.version == 6 ? trim_metadata(c, &part) : 0;
			if (r < 0)
				return r;
			part.description = describe(c, id, "");
			part.at = SONDE_NONE;
			r = dat_file_add(c->f, part, &number);
		}
		if (r < 0)
			return err_nomem(c->err);
	}
	return 0;
}

static int push_item(struct dat_part *part, uint16_t id, const void *data, size_t n, size_t to, size_t buffer)
{
	struct dat_item item = dat_item_new(id, data, n);

	item.part = to;
	item.buffer = buffer;
	return vec_push(&part->items, item);
}

/* Copies the options without offsets. */
static int take_items(struct change *c, struct dat_part *to)
{
	for (size_t i = 0; i < c->old.n; i++)
		for (size_t k = 0; k < c->old.at[i].items.n; k++) {
			const struct dat_item *item = &c->old.at[i].items.at[k];
			bool pointer = item->id == SECTION_BUFFER || dat_option_points(item->id);

			if (!pointer && (item->id != DAT_OPTION_CPUCOUNT || c->f->header.version == 7) &&
			    push_item(to, item->id, item->data.p, item->data.len, DAT_NONE, DAT_NONE) < 0)
				return -SONDE_NOMEM;
		}
	return 0;
}

static bool has_item(const struct dat_part *part, uint16_t id)
{
	for (size_t i = 0; i < part->items.n; i++)
		if (part->items.at[i].id == id)
			return true;
	return false;
}

/* The part before the options of version 6. */
static int add_cpucount(struct change *c, struct dat_part *to)
{
	uint8_t *count;

	if (has_item(to, DAT_OPTION_CPUCOUNT))
		return 0;
	count = arena_alloc(&c->f->arena, 4);
	if (!count)
		return -SONDE_NOMEM;
	store_u32(count, c->f->nr_cpus, c->f->swap);
	return push_item(to, DAT_OPTION_CPUCOUNT, count, 4, DAT_NONE, DAT_NONE);
}

static void drop_empty_extents(struct dat_buffer *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->extents.n; i++)
		if (b->extents.at[i].bytes.n)
			b->extents.at[n++] = b->extents.at[i];
	b->extents.n = n;
	b->order.n = 0;
}

static int add_buffer_sections(struct change *c, size_t *last)
{
	for (size_t i = 0; i < c->f->buffers.n; i++) {
		struct dat_buffer *b = &c->f->buffers.at[i];
		struct dat_part pages = fresh(c, DAT_PART_BUFFER, SECTION_BUFFER, b->name);
		struct dat_part options = fresh(c, DAT_PART_OPTIONS, SECTION_OPTIONS, "");
		size_t number;

		drop_empty_extents(b);
		pages.buffer = i;
		if (dat_file_add(c->f, pages, &number) < 0 ||
		    push_item(&options, SECTION_BUFFER, NULL, 0, number, i) < 0 ||
		    dat_file_add(c->f, options, &number) < 0) {
			vec_free(&options.items);
			return -SONDE_NOMEM;
		}
		c->f->parts.at[*last].next = number;
		*last = number;
	}
	return 0;
}

/* A text with its option: u64 section, name, clock. */
static int add_text_section(struct change *c, size_t *last)
{
	struct dat_part *old = find_old(c, DAT_PART_TEXT, SECTION_BUFFER_TEXT);
	struct dat_part text = fresh(c, DAT_PART_TEXT, SECTION_BUFFER_TEXT, "");
	struct dat_part options = fresh(c, DAT_PART_OPTIONS, SECTION_OPTIONS, "");
	static const uint8_t data[8 + 1 + sizeof("local")] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 'l', 'o', 'c', 'a', 'l' };
	size_t number;

	if (!old)
		return 0;
	text.bytes = old->bytes;
	text.packed = old->packed;
	if (dat_file_add(c->f, text, &number) < 0 ||
	    push_item(&options, SECTION_BUFFER_TEXT, data, sizeof(data), number, DAT_NONE) < 0 ||
	    dat_file_add(c->f, options, &number) < 0) {
		vec_free(&options.items);
		return -SONDE_NOMEM;
	}
	c->f->parts.at[*last].next = number;
	*last = number;
	return 0;
}

/* Sections that only version 7 has. */
static int take_other_sections(struct change *c)
{
	int r = 0;

	for (size_t i = 0; i < c->old.n && r == 0; i++) {
		struct dat_part part = c->old.at[i];
		size_t number;

		if (part.kind != DAT_PART_SECTION || part.id == SECTION_STRINGS || part.cut || part.lost ||
		    dat_part_is_metadata(&part))
			continue;
		part.at = SONDE_NONE;
		part.description = *dat_section_title(part.id) ? describe(c, part.id, "") : NO_DESCRIPTION;
		r = dat_file_add(c->f, part, &number);
	}
	return r;
}

static int make_sections(struct change *c)
{
	struct dat_part options = fresh(c, DAT_PART_OPTIONS, SECTION_OPTIONS, "");
	size_t last, number;
	int r = take_other_sections(c);

	for (size_t i = 0; i < c->f->parts.n && r == 0; i++) {
		const struct dat_option *row = dat_option_find(c->f->parts.at[i].id);

		if (row && row->version_7)
			r = push_item(&options, c->f->parts.at[i].id, "\0\0\0\0\0\0\0", 8, i, DAT_NONE);
	}
	if (r == 0)
		r = take_items(c, &options);
	if (r == 0)
		r = add_cpucount(c, &options);
	if (r == 0)
		r = dat_file_add(c->f, options, &last);
	if (r < 0) {
		vec_free(&options.items);
		return r;
	}
	c->f->first_options = last;
	r = add_buffer_sections(c, &last);
	if (r == 0)
		r = add_text_section(c, &last);
	if (r == 0 && !c->strings.failed)
		r = dat_file_add_bytes(c->f, SECTION_STRINGS, c->strings.p, c->strings.n, &number);
	return c->strings.failed ? -SONDE_NOMEM : r;
}

/* A table with a row for each CPU, by number. */
static int make_dense(struct change *c, struct dat_buffer *b)
{
	VEC(struct dat_extent) all = { 0 };

	if (vec_reserve(&all, c->f->nr_cpus) < 0)
		return -SONDE_NOMEM;
	for (uint32_t cpu = 0; cpu < c->f->nr_cpus; cpu++)
		all.at[all.n++] = (struct dat_extent){ .cpu = cpu, .stated = SONDE_NONE };
	for (size_t i = 0; i < b->extents.n; i++) {
		struct dat_extent *a = &b->extents.at[i];

		if (a->bytes.n == 0)
			continue;
		if (a->cpu >= all.n || all.at[a->cpu].bytes.n)
			lose(c, SONDE_LOSS_UNSUPPORTED, a->bytes.n, a->bytes.at, (int32_t)a->cpu,
					 "{byte|bytes} of pages of CPUs that a table of version 6 cannot hold");
		else
			all.at[a->cpu] = *a;
	}
	vec_free(&b->extents);
	b->extents.at = all.at;
	b->extents.n = all.n;
	b->extents.cap = all.cap;
	b->order.n = 0;
	return 0;
}

/* Pads pages that are smaller than the file's page size with zeros. */
static int fill_larger(void *ctx, struct dat_file *f, size_t buffer, const struct dat_extent *extent,
		       struct page_writer *to)
{
	struct dat_buffer b = f->buffers.at[buffer];
	uint32_t size = *(const uint32_t *)ctx;
	struct sonde_error err = { .file_offset = SONDE_NONE };
	struct page_reader from;
	struct page_run run;
	uint8_t *page = calloc(1, to->page_size);
	int r = page ? 1 : -SONDE_NOMEM;

	b.page_size = size;
	dat_pages_start(&from, f, &b, extent);
	while (r > 0 && (r = dat_pages_next(&from, &run, &err)) > 0)
		for (size_t at = 0; at < run.n && r > 0; at += size) {
			size_t n = run.n - at < size ? run.n - at : size;

			memset(page + n, 0, size - n);
			memcpy(page, run.p + at, n);
			r = dat_page_writer_put(to, page, to->page_size, &err) < 0 ? -SONDE_SYSTEM : 1;
		}
	dat_pages_end(&from);
	free(page);
	return r;
}

static int make_one_page_size(struct change *c)
{
	uint32_t largest = 0;

	for (size_t i = 0; i < c->f->buffers.n; i++)
		if (c->f->buffers.at[i].extents.n && c->f->buffers.at[i].page_size > largest)
			largest = c->f->buffers.at[i].page_size;
	if (largest)
		c->f->header.page_size = largest;
	for (size_t i = 0; i < c->f->buffers.n; i++) {
		struct dat_buffer *b = &c->f->buffers.at[i];
		uint32_t *size;

		if (b->page_size < largest && b->extents.n && !b->fill) {
			size = arena_memdup(&c->f->arena, &b->page_size, sizeof(*size));
			if (!size)
				return -SONDE_NOMEM;
			b->fill = fill_larger;
			b->ctx = size;
		}
		b->page_size = c->f->header.page_size;
	}
	return 0;
}

static void count_cpus(struct change *c)
{
	uint32_t nr = c->f->nr_cpus;

	for (size_t i = 0; i < c->old.n; i++) {
		uint32_t n = dat_part_cpus(&c->old.at[i], c->f->swap);

		nr = n > nr ? n : nr;
	}
	for (size_t b = 0; b < c->f->buffers.n; b++)
		for (size_t i = 0; i < c->f->buffers.at[b].extents.n; i++) {
			uint32_t cpu = c->f->buffers.at[b].extents.at[i].cpu;

			if (cpu >= nr && cpu < DAT_CPUS_MAX)
				nr = cpu + 1;
		}
	c->f->nr_cpus = nr ? nr : 1;
}

static int add_v6_buffer(struct change *c, size_t buffer, size_t options, bool has_clock)
{
	struct dat_buffer *b = &c->f->buffers.at[buffer];
	struct dat_part pages = dat_part_new(DAT_PART_BUFFER, SECTION_BUFFER, SONDE_NONE);
	char *clock;
	size_t number;
	int n;

	pages.buffer = buffer;
	if (make_dense(c, b) < 0)
		return -SONDE_NOMEM;
	b->has_clock_text = has_clock;
	n = asprintf(&clock, "[%s]", *b->clock ? b->clock : "local");
	if (n < 0)
		return -SONDE_NOMEM;
	b->clock_text = (struct dat_bytes){ .p = arena_memdup(&c->f->arena, clock, (size_t)n + 1),
					    .n = has_clock ? (uint64_t)n : 0 };
	free(clock);
	if (!b->clock_text.p || dat_file_add(c->f, pages, &number) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < c->f->parts.at[options].items.n; i++)
		if (c->f->parts.at[options].items.at[i].buffer == buffer)
			c->f->parts.at[options].items.at[i].part = number;
	return 0;
}

static void name_losses(struct change *c)
{
	static const char *const lost[] = { [SECTION_BTF] = "BTF, which version 6 cannot hold",
					    [SECTION_MODULES] = "lists of modules, which version 6 cannot hold" };

	for (size_t i = 0; i < c->old.n; i++) {
		const struct dat_part *p = &c->old.at[i];

		if (p->lost)
			continue;
		if (p->kind == DAT_PART_SECTION && (p->id == SECTION_BTF || p->id == SECTION_MODULES))
			lose(c, SONDE_LOSS_UNSUPPORTED, 1, p->at, -1, lost[p->id]);
		else if (p->kind == DAT_PART_SECTION && p->id != SECTION_STRINGS && !dat_part_is_metadata(p))
			lose(c, SONDE_LOSS_UNSUPPORTED, 1, p->at, -1,
					 "unknown {section|sections}, which version 6 cannot hold");
	}
}

static int make_v6(struct change *c)
{
	struct dat_part options = fresh(c, DAT_PART_OPTIONS, SECTION_OPTIONS, ""),
			*text = find_old(c, DAT_PART_TEXT, SECTION_BUFFER_TEXT);
	size_t top = DAT_NONE, list, number;
	bool has_clock;
	int r;

	name_losses(c);
	count_cpus(c);
	if ((uint64_t)c->f->nr_cpus * (c->f->buffers.n + 1) > MAX_ROWS)
		return err_set(c->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%zu buffers with a table of %u CPUs each are too many", c->f->buffers.n, c->f->nr_cpus);
	r = make_one_page_size(c);
	for (size_t i = 0; i < c->f->buffers.n && top == DAT_NONE; i++)
		if (c->f->buffers.at[i].name[0] == 0)
			top = i;
	if (r == 0 && top == DAT_NONE && !text)
		r = dat_file_add_buffer(
			c->f, (struct dat_buffer){ .name = "", .clock = "", .page_size = c->f->header.page_size },
			&top);
	if (r == 0)
		r = take_items(c, &options);
	for (size_t i = 0; i < c->f->buffers.n && r == 0; i++)
		if (i != top && !text)
			r = push_item(&options, SECTION_BUFFER, NULL, 0, DAT_NONE, i);
	has_clock = has_item(&options, DAT_OPTION_TRACECLOCK);
	if (r == 0)
		r = dat_file_add(c->f, options, &list);
	if (r < 0) {
		vec_free(&options.items);
		return r;
	}
	c->f->first_options = list;
	if (text) {
		if (c->f->buffers.n)
			lose(c, SONDE_LOSS_UNSUPPORTED, c->f->buffers.n, SONDE_NONE, -1,
					 "{buffer|buffers} beside a text, which version 6 cannot hold");
		return dat_file_add(c->f, *text, &number);
	}
	r = add_v6_buffer(c, top, list, has_clock);
	for (size_t i = 0; i < c->f->buffers.n && r == 0; i++)
		if (i != top)
			r = add_v6_buffer(c, i, list, has_clock);
	return r;
}

/* The zeros that compose.c puts after a table without pages. */
static bool is_padding(struct change *c, const struct dat_part *p)
{
	const uint8_t *bytes = p->bytes.n < c->f->header.page_size ?
		image_view(c->f->image, p->bytes.at, (size_t)p->bytes.n) :
		NULL;

	return bytes && pages_are_empty(bytes, (size_t)p->bytes.n);
}

static void lose_rest(struct change *c)
{
	for (size_t i = 0; i < c->old.n; i++)
		if (c->old.at[i].kind == DAT_PART_RAW && !is_padding(c, &c->old.at[i]))
			lose(c, SONDE_LOSS_UNSUPPORTED, c->old.at[i].bytes.n, c->old.at[i].at, -1,
					 "unused {byte|bytes}");
		else if (c->old.at[i].kind == DAT_PART_BUFFER && c->old.at[i].buffer == DAT_NONE &&
			 c->old.at[i].bytes.n)
			lose(c, SONDE_LOSS_UNSUPPORTED, c->old.at[i].bytes.n, c->old.at[i].at, -1,
					 "{byte|bytes} of pages that no option describes");
}

int dat_version_convert(struct dat_file *f, uint32_t version, struct ledger *losses, struct sonde_error *err)
{
	struct change c = { .losses = losses, .err = err, .f = f, .strings = BUF_MEMORY };
	int r;

	c.old.at = f->parts.at;
	c.old.n = f->parts.n;
	c.old.cap = f->parts.cap;
	memset(&f->parts, 0, sizeof(f->parts));
	u64map_free(&f->part_at);
	f->part_at = (struct u64map){ 0 };
	f->header.version = version;
	f->keeps_gaps = false;
	r = take_metadata(&c);
	if (r == 0) {
		lose_rest(&c);
		r = version == 7 ? make_sections(&c) : make_v6(&c);
		r = r < 0 && (!err || err->code == 0) ? err_nomem(err) : r;
	}
	for (size_t i = 0; i < c.old.n; i++)
		vec_free(&c.old.at[i].items);
	vec_free(&c.old);
	buf_free(&c.strings);
	return r;
}
