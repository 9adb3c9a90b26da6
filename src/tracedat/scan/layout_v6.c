/* SPDX-License-Identifier: MIT */
/* layout_v6.c - the parts of a version 6 file, each of which can be found only after the one before */
#include "tracedat/format/encode.h"
#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/scan/extents.h"
#include "tracedat/scan/layout.h"
#include "tracedat/scan/layout_v6.h"

#define MARKER_BYTES 10
#define MAX_CLOCK_BYTES 4096
#define OPTION_BYTES_MAX (64u << 20)

static bool is_marker(struct dat_file *f, uint64_t at, const char *name)
{
	const uint8_t *p = image_view(f->image, at, MARKER_BYTES);

	return p && memcmp(p, name, MARKER_BYTES) == 0;
}

static int add_raw(struct dat_file *f, uint64_t at, uint64_t n, struct findings *found)
{
	struct dat_part part = dat_part_new(DAT_PART_RAW, 0, at);
	size_t number;

	if (n == 0)
		return 0;
	part.bytes = (struct dat_bytes){ NULL, at, n };
	if (n >= f->header.page_size)
		dat_found(found, DAT_CHECK_GAP, at, "file", "the end", "%" PRIu64 " bytes", n);
	return dat_file_add(f, part, &number);
}

/* The six kinds of metadata: 1, 0 when one is cut. */
static int read_metadata(struct dat_file *f, uint64_t *at, struct findings *found)
{
	for (uint16_t id = SECTION_HEADER_INFO; id <= SECTION_CMDLINES; id++) {
		struct dat_part part = dat_part_new(DAT_PART_SECTION, id, *at);
		uint64_t n;
		uint8_t *p;
		size_t number;
		bool whole = dat_metadata_measure(f->image, *at, id, f->swap, &n);

		part.bytes = (struct dat_bytes){ NULL, *at, n };
		part.cut = !whole;
		if (dat_file_add(f, part, &number) < 0)
			return -SONDE_NOMEM;
		if (!whole) {
			dat_found(found, DAT_CHECK_METADATA_CUT, *at, sonde_option_name(id), "all of it",
				  "%" PRIu64 " bytes", n);
			f->sound = false;
			return 0;
		}
		if (id == SECTION_HEADER_INFO) {
			p = image_copy(f->image, *at, n);
			if (!p)
				return -SONDE_NOMEM;
			dat_layout_take_header_page(f, p, n);
			free(p);
		}
		*at += n;
	}
	return 1;
}

/* u16 id, u32 size, data; the end is u16 0. 1, 0 when it is cut. */
static int read_options(struct dat_file *f, struct dat_part *part, uint64_t *at, struct findings *found)
{
	part->has_options = true;
	for (;;) {
		const uint8_t *p = image_view(f->image, *at, 2);
		struct dat_item item = dat_item_new(0, NULL, 0);
		uint32_t size;
		uint8_t *data, *kept;

		if (!p)
			break;
		item.id = load_u16(p, f->swap);
		if (item.id == OPTION_DONE) {
			part->ended = true;
			*at += 2;
			return 1;
		}
		p = image_view(f->image, *at + 2, 4);
		size = p ? load_u32(p, f->swap) : UINT32_MAX;
		if (!p || size > f->image->size - *at - 6 || size > OPTION_BYTES_MAX)
			break;
		data = image_copy(f->image, *at + 6, size);
		kept = data ? arena_memdup(&f->arena, data, size ? size : 1) : NULL;
		free(data);
		if (!kept)
			return -SONDE_NOMEM;
		item.data = (struct sonde_bytes){ kept, size };
		item.at = *at + 6;
		if (!dat_option_find(item.id))
			dat_found(found, DAT_CHECK_OPTION_UNKNOWN, *at, "options", "an id that is known", "%u",
				  item.id);
		if (vec_push(&part->items, item) < 0)
			return -SONDE_NOMEM;
		*at += 6 + (uint64_t)size;
	}
	dat_found(found, DAT_CHECK_OPTIONS_END, *at, "OPTIONS", "an end mark", "the end");
	f->sound = false;
	return 0;
}

static bool looks_like_clock(struct dat_file *f, uint64_t at)
{
	const uint8_t *p = image_view(f->image, at, 8);

	return p && load_u64(p, f->swap) <= MAX_CLOCK_BYTES;
}

static int take_row(struct dat_file *f, struct dat_buffer *b, uint32_t cpu, uint64_t table, struct findings *found)
{
	const uint8_t *p = image_view(f->image, table + cpu * UINT64_C(16), 16);
	uint64_t at = p ? load_u64(p, f->swap) : 0, n = p ? load_u64(p + 8, f->swap) : 0;

	return !p ? 0 : dat_layout_add_extent(f, b, cpu, at, n, found) ? 1 : -SONDE_NOMEM;
}

/* The clock of a buffer: the name in brackets, or all of the text. */
static int take_clock(struct dat_file *f, struct dat_buffer *b, uint64_t *at, struct findings *found)
{
	const uint8_t *p = image_view(f->image, *at, 8), *open, *close;
	uint64_t n = p ? load_u64(p, f->swap) : UINT64_MAX;

	if (n > MAX_CLOCK_BYTES || !(p = image_view(f->image, *at + 8, (size_t)n))) {
		dat_found(found, DAT_CHECK_CLOCK, *at, "flyrecord", "the name of the clock", "no text");
		f->sound = false;  /* early writers damaged it */
		return 0;
	}
	b->has_clock_text = true;
	b->clock_text = (struct dat_bytes){ NULL, *at + 8, n };
	open = n ? memchr(p, '[', n) : NULL;
	close = open ? memchr(open, ']', n - (size_t)(open - p)) : NULL;
	if (close)
		b->clock = arena_strndup(&f->arena, (const char *)open + 1, (size_t)(close - open - 1));
	*at += 8 + n;
	return b->clock ? 0 : -SONDE_NOMEM;
}

/* Reads the bytes after a "flyrecord\0" at @at; *end: after the pages. */
static int read_buffer(struct dat_file *f, struct dat_item *item, uint64_t at, uint32_t nr, bool has_clock,
		       uint64_t *end, struct findings *found)
{
	struct sonde_str name = { "", 0 };
	struct dat_buffer b = { .page_size = f->header.page_size };
	struct dat_part part = dat_part_new(DAT_PART_BUFFER, SECTION_BUFFER, at);
	uint64_t table = at + MARKER_BYTES;
	int r = 1;
	size_t number;

	*end = at;
	if (item && item->data.len > 8)
		name = (struct sonde_str){ (const char *)item->data.p + 8,
					   strnlen((const char *)item->data.p + 8, item->data.len - 8) };
	b.name = arena_strndup(&f->arena, name.p, name.len);
	b.clock = arena_strndup(&f->arena, "local", 5);
	if (!b.name || !b.clock)
		return -SONDE_NOMEM;
	/* CPUCOUNT is for all tables if it is larger, but not every writer knew that */
	if (has_clock && nr > f->nr_cpus && !looks_like_clock(f, table + nr * UINT64_C(16)))
		nr = f->nr_cpus;
	for (uint32_t i = 0; i < nr && r > 0; i++)
		r = take_row(f, &b, i, table, found);
	if (r == 0) {
		dat_found(found, DAT_CHECK_TABLE, at, "flyrecord", "a table of all CPUs", "%zu of %u", b.extents.n, nr);
		f->sound = false;
	}
	*end = table + b.extents.n * UINT64_C(16);
	if (r > 0 && has_clock)
		r = take_clock(f, &b, end, found) < 0 ? -SONDE_NOMEM : 1;
	if (r >= 0)
		r = dat_layout_order_extents(f, &b, *end, end, found);
	part.buffer = f->buffers.n;
	if (r == 0)
		r = dat_file_add(f, part, &number);
	if (r == 0)
		r = dat_file_add_buffer(f, b, &part.buffer);
	if (r < 0) {
		vec_free(&b.extents);
		vec_free(&b.order);
		return r;
	}
	if (item) {
		item->buffer = part.buffer;
		item->part = number;
	}
	return 0;
}

/* Parts in the order of the file; those that point to them are told. */
static int by_offset(const void *a, const void *b)
{
	const struct dat_part *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static int sort_buffers(struct dat_file *f, size_t options, size_t first, const uint64_t *ends, uint64_t end,
			struct findings *found)
{
	struct dat_part *list = &f->parts.at[options];

	if (f->parts.n > first + 1)
		qsort(f->parts.at + first, f->parts.n - first, sizeof(*f->parts.at), by_offset);
	for (size_t i = first; i < f->parts.n; i++)
		for (size_t k = 0; k < list->items.n; k++)
			if (list->items.at[k].buffer != DAT_NONE && list->items.at[k].buffer == f->parts.at[i].buffer)
				list->items.at[k].part = i;
	for (size_t i = first; i < f->parts.n; i++) {
		if (i > first && f->parts.at[i].at < end) {
			dat_found(found, DAT_CHECK_EXTENT_OVERLAP, f->parts.at[i].at, "flyrecord",
				  "to begin after the pages before it", "0x%" PRIx64 " bytes earlier",
				  end - f->parts.at[i].at);
			f->sound = false;
		} else if (i > first) {
			f->buffers.at[f->parts.at[i - 1].buffer].rest = (struct dat_bytes){ NULL, end,
											    f->parts.at[i].at - end };
		}
		end = ends[f->parts.at[i].buffer];
	}
	return end < f->image->size ? add_raw(f, end, f->image->size - end, found) : 0;
}

static int read_buffers(struct dat_file *f, size_t options, uint64_t at, struct findings *found)
{
	size_t first = f->parts.n, nr_items = f->parts.at[options].items.n;
	uint64_t *ends = calloc(nr_items + 1, sizeof(*ends));
	bool has_clock = dat_file_option(f, DAT_OPTION_TRACECLOCK);
	uint32_t stated = dat_part_cpus(&f->parts.at[options], f->swap), nr = stated > f->nr_cpus ? stated : f->nr_cpus;
	int r = ends ? read_buffer(f, NULL, at, nr, has_clock, &ends[0], found) : -SONDE_NOMEM;

	for (size_t i = 0; i < nr_items && r == 0; i++) {
		struct dat_item *item = &f->parts.at[options].items.at[i];
		uint64_t to = item->data.len >= 8 ? load_u64(item->data.p, f->swap) : 0;
		struct dat_item filled = *item;

		if (item->id != SECTION_BUFFER)
			continue;
		if (!is_marker(f, to, "flyrecord") || u64map_get(&f->part_at, to) != U64MAP_NONE) {
			dat_found(found, DAT_CHECK_TABLE_PLACE, to, "BUFFER", "a table of its own", "0x%" PRIx64, to);
			f->sound = false;
			continue;
		}
		r = read_buffer(f, &filled, to, nr, has_clock, &ends[f->buffers.n], found);
		f->parts.at[options].items.at[i] = filled;
	}
	if (r == 0)
		r = sort_buffers(f, options, first, ends, ends[0], found);
	free(ends);
	return r;
}

static int read_text(struct dat_file *f, uint64_t at)
{
	struct dat_part part = dat_part_new(DAT_PART_TEXT, SECTION_BUFFER_TEXT, at);
	size_t number;

	part.bytes = (struct dat_bytes){ NULL, at + MARKER_BYTES, f->image->size - at - MARKER_BYTES };
	return dat_file_add(f, part, &number);
}

int dat_layout_read_v6_data(struct dat_file *f, uint64_t at, struct findings *found)
{
	struct dat_part options = dat_part_new(DAT_PART_OPTIONS, SECTION_OPTIONS, at);
	const uint8_t *p = image_view(f->image, at, 4);
	int ended = 1;
	size_t number;

	options.reached = true;
	f->nr_cpus = p ? load_u32(p, f->swap) : 0;
	if (!p || f->nr_cpus > DAT_CPUS_MAX) {
		dat_found(found, DAT_CHECK_DATA_MARK, at, "header", "a number of CPUs", "%u", f->nr_cpus);
		f->sound = false;
		f->nr_cpus = 0;
		return 0;
	}
	at += 4;
	if (is_marker(f, at, "options  ")) {
		at += MARKER_BYTES;
		ended = read_options(f, &options, &at, found);
	}
	if (ended < 0 || dat_file_add(f, options, &number) < 0) {
		vec_free(&options.items);
		return -SONDE_NOMEM;
	}
	f->first_options = number;
	if (!ended)
		return 0;
	if (is_marker(f, at, "latency  "))
		return read_text(f, at);
	if (is_marker(f, at, "flyrecord"))
		return read_buffers(f, number, at, found);
	dat_found(found, DAT_CHECK_DATA_MARK, at, "data", "flyrecord or latency", "neither");
	f->sound = false;
	return 0;
}

int dat_layout_read_v6(struct dat_file *f, struct findings *found, struct sonde_error *err)
{
	uint64_t at = f->header.end;
	int r = read_metadata(f, &at, found);

	(void)err;
	return r <= 0 ? r : dat_layout_read_v6_data(f, at, found);
}
