/* SPDX-License-Identifier: MIT */
/* layout.c - the parts of a version 7 file: its sections, and which of them the options name */
#include "tracedat/format/encode.h"
#include "tracedat/format/option.h"
#include "tracedat/scan/extents.h"
#include "tracedat/scan/layout.h"
#include "tracedat/scan/layout_v6.h"

#define HEAD_BYTES 4096
#define MAX_PARTS 65536
#define CPU_ENTRY_BYTES 20

/* The section at @at becomes a part: 1, 0 when there is none. */
int dat_layout_take_section(struct dat_file *f, uint64_t at, struct findings *found)
{
	const uint8_t *p = image_view(f->image, at, SECTION_HEADER_BYTES);
	struct cursor c = cur_new(p, p ? SECTION_HEADER_BYTES : 0, at, f->swap, NULL);
	struct dat_part part = dat_part_new(DAT_PART_SECTION, 0, at);
	uint64_t size, left = f->image->size - at;
	size_t number;

	if (!p)
		return 0;
	part.id = cur_u16(&c);
	part.packed = cur_u16(&c) & SECTION_FLAG_COMPRESSED;
	part.description = cur_u32(&c);
	size = cur_u64(&c);
	part.cut = size > left - SECTION_HEADER_BYTES;
	part.bytes = (struct dat_bytes){ NULL, at + SECTION_HEADER_BYTES,
					 part.cut ? left - SECTION_HEADER_BYTES : size };
	part.kind = part.id == SECTION_OPTIONS ? DAT_PART_OPTIONS : part.id == SECTION_BUFFER ? DAT_PART_BUFFER :
		    part.id == SECTION_BUFFER_TEXT ? DAT_PART_TEXT : DAT_PART_SECTION;
	if (!dat_section_is_known(part.id))
		dat_found(found, DAT_CHECK_SECTION_UNKNOWN, at, "section", "an id that is known", "%u", part.id);
	if (part.cut)
		dat_found(found, DAT_CHECK_SECTION_CUT, at, dat_section_name(part.id), "its bytes",
			  "%" PRIu64 " of %" PRIu64, part.bytes.n, size);
	return dat_file_add(f, part, &number) < 0 ? -SONDE_NOMEM : 1;
}

static int walk_sections(struct dat_file *f, struct findings *found)
{
	uint64_t at = f->header.end;
	struct dat_part rest;
	size_t number;
	int r = 1;

	while (at < f->image->size && f->parts.n < MAX_PARTS && (r = dat_layout_take_section(f, at, found)) > 0) {
		const struct dat_part *last = &f->parts.at[f->parts.n - 1];

		at = last->bytes.at + last->bytes.n;
		f->sound = f->sound && !last->cut;
	}
	if (r < 0 || at >= f->image->size)
		return r < 0 ? r : 0;
	dat_found(found, DAT_CHECK_GAP, at, "file", "a section", "%" PRIu64 " bytes", f->image->size - at);
	rest = dat_part_new(DAT_PART_RAW, 0, at);
	rest.bytes = (struct dat_bytes){ NULL, at, f->image->size - at };
	return dat_file_add(f, rest, &number);
}

/* The part that begins at @at with this id; one that walking has missed is added. DAT_NONE: there is none. */
static size_t part_at(struct dat_file *f, uint64_t at, uint16_t id, struct findings *found)
{
	uint32_t number = u64map_get(&f->part_at, at);

	if (number == U64MAP_NONE && at >= f->header.end && at < f->image->size && f->parts.n < MAX_PARTS &&
	    image_view(f->image, at, SECTION_HEADER_BYTES) && load_u16(image_view(f->image, at, 2), f->swap) == id) {
		dat_found(found, DAT_CHECK_SECTION_STRAY, at, dat_section_name(id), "to follow the section before it",
			  "it does not");
		f->sound = false;
		if (dat_layout_take_section(f, at, found) <= 0)
			return DAT_NONE;
		number = (uint32_t)f->parts.n - 1;
	}
	return number != U64MAP_NONE && f->parts.at[number].kind != DAT_PART_RAW && f->parts.at[number].id == id ?
		number :
		DAT_NONE;
}

/* The bytes of a list of chunks, as far as it goes; 0 if it is none. */
static uint64_t list_bytes(struct dat_file *f, uint64_t at, uint64_t limit)
{
	const uint8_t *p = image_view(f->image, at, 4);
	uint32_t count = p ? load_u32(p, f->swap) : 0;
	uint64_t end = at + 4;

	if (!p)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		p = end + 8 <= limit ? image_view(f->image, end, 8) : NULL;
		if (!p || load_u32(p, f->swap) > limit - end - 8 || f->budget < 8)
			return 0;
		f->budget -= 8;  /* however often tables name one list */
		end += 8 + (uint64_t)load_u32(p, f->swap);
	}
	return end - at;
}

/* Compares the table with the pages that are there. */
static int take_extent(struct dat_file *f, struct dat_buffer *b, uint32_t cpu, uint64_t at, uint64_t size,
		       struct findings *found)
{
	struct dat_extent *a = dat_layout_add_extent(f, b, cpu, at, size, found);

	if (!a)
		return -SONDE_NOMEM;
	if (!size || !b->packed || f->shallow || a->bytes.n < size || list_bytes(f, at, f->image->size) != size + 4)
		return 0;
	dat_found(found, DAT_CHECK_EXTENT_SIZE, at, "pages", "the size of the list", "CPU %u: 4 less", cpu);
	a->bytes.n = size + 4;
	a->size_short = 4;
	return 0;
}

static char *copy_text(struct dat_file *f, struct sonde_str s)
{
	return arena_strndup(&f->arena, s.p, s.len);
}

static int too_small(struct dat_item *item, uint64_t at, struct findings *found)
{
	dat_found(found, DAT_CHECK_OPTION_SIZE, at, dat_section_name(item->id), "all of its fields", "%zu bytes",
		  item->data.len);
	return 0;
}

/* The last pages end past their section. */
static void leaves_section(struct dat_file *f, const struct dat_buffer *b, uint64_t section, uint64_t end,
			   struct findings *found)
{
	f->sound = false;
	for (size_t i = 0; i < b->extents.n; i++)
		if (b->extents.at[i].bytes.n && b->extents.at[i].bytes.at + b->extents.at[i].bytes.n == end) {
			dat_found(found, DAT_CHECK_EXTENT_SECTION, b->extents.at[i].bytes.at, "pages",
				  "to lie in their section", "CPU %u: %" PRIu64 " bytes more", b->extents.at[i].cpu,
				  end - section);
			return;
		}
}

/* u64 section, name "\0", clock "\0", u32 page size, u32 count, [count] { u32 cpu, u64 offset, u64 size } */
static int take_buffer(struct dat_file *f, struct dat_item *item, uint64_t at, struct findings *found)
{
	struct cursor c = cur_new(item->data.p, item->data.len, at, f->swap, NULL);
	uint64_t section = cur_u64(&c), end;
	struct sonde_str name = cur_strz(&c), clock = cur_strz(&c);
	struct dat_buffer b = { .page_size = cur_u32(&c) };
	uint32_t nr = cur_u32(&c);
	size_t part, unfinished;

	if (!cur_ok(&c) || cur_left(&c) / CPU_ENTRY_BYTES < nr) {
		f->sound = false;
		return too_small(item, at, found);
	}
	part = part_at(f, section, SECTION_BUFFER, found);
	if (part == DAT_NONE || f->parts.at[part].buffer != DAT_NONE) {
		dat_found(found, DAT_CHECK_OPTION_POINTER, at, "BUFFER", "a section of pages", "0x%" PRIx64, section);
		f->sound = false;
		return 0;
	}
	b.name = copy_text(f, name);
	b.clock = copy_text(f, clock);
	b.packed = f->parts.at[part].packed;
	if (b.page_size < PAGE_SIZE_MIN || b.page_size > PAGE_SIZE_MAX) {
		dat_found(found, DAT_CHECK_OPTION_SIZE, at, "BUFFER", "a page size", "%u", b.page_size);
		f->sound = false;
		b.page_size = f->header.page_size;
	}
	if (!b.name || !b.clock)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t cpu = cur_u32(&c);
		uint64_t offset = cur_u64(&c);

		if (take_extent(f, &b, cpu, offset, cur_u64(&c), found) < 0) {
			vec_free(&b.extents);
			return -SONDE_NOMEM;
		}
	}
	b.tail = (struct sonde_bytes){ c.p, cur_left(&c) };
	if (dat_layout_order_extents(f, &b, f->parts.at[part].bytes.at, &end, found) < 0 ||
	    dat_file_add_buffer(f, b, &item->buffer) < 0) {
		vec_free(&b.extents);
		vec_free(&b.order);
		return -SONDE_NOMEM;
	}
	section = f->parts.at[part].bytes.at + f->parts.at[part].bytes.n;
	if (end > section && dat_file_unfinished(f, &unfinished))
		f->scattered = true; /* a file grows at its end, which is in the last section */
	else if (end > section)
		leaves_section(f, &f->buffers.at[item->buffer], section, end, found);
	else if (b.extents.n)
		f->buffers.at[item->buffer].rest = (struct dat_bytes){ NULL, end, section - end };
	else
		f->buffers.at[item->buffer].rest = f->parts.at[part].bytes;
	f->parts.at[part].buffer = item->buffer;
	item->part = part;
	return 0;
}

static int take_pointer(struct dat_file *f, struct dat_item *item, uint64_t at, struct findings *found)
{
	bool must = item->id <= SECTION_CMDLINES || item->id == SECTION_BUFFER_TEXT;
	uint64_t to;

	if (item->data.len < 8)
		return too_small(item, at, found);
	to = load_u64(item->data.p, f->swap);
	item->part = part_at(f, to, item->id, found);
	if (item->part != DAT_NONE)
		return 0;
	f->sound = f->sound && !must;
	dat_found(found, must ? DAT_CHECK_OPTION_POINTER : DAT_CHECK_OPTION_STALE, at, dat_section_name(item->id),
		  "a section of its kind", "0x%" PRIx64, to);
	return 0;
}

static int take_item(struct dat_file *f, struct dat_item *item, uint64_t at, struct findings *found)
{
	const struct dat_option *row = dat_option_find(item->id);

	if (!row)
		dat_found(found, DAT_CHECK_OPTION_UNKNOWN, at, "options", "an id that is known", "%u", item->id);
	if (item->id == SECTION_BUFFER)
		return take_buffer(f, item, at, found);
	if (dat_option_points(item->id))
		return take_pointer(f, item, at, found);
	return 0;
}

/* The options in @p, which lasts as long as the file; *next: where the next list is. */
static int take_options(struct dat_file *f, size_t number, const uint8_t *p, size_t n, uint64_t *next,
			struct findings *found)
{
	uint64_t at = f->parts.at[number].bytes.at;
	struct cursor c = cur_new(p, n, at, f->swap, NULL);

	*next = 0;
	while (cur_left(&c)) {
		struct dat_item item = dat_item_new(0, NULL, 0);
		uint64_t item_at = c.at;
		struct cursor body;

		item.id = cur_u16(&c);
		body = cur_sub(&c, cur_u32(&c));
		if (!cur_ok(&c))
			break;
		item.data = (struct sonde_bytes){ body.p, cur_left(&body) };
		item.at = f->parts.at[number].packed ? f->parts.at[number].at : body.at;
		if (item.id == OPTION_DONE) {
			*next = cur_u64(&body);
			f->parts.at[number].ended = cur_ok(&body) && item.data.len == 8;
			if (cur_left(&c)) {
				dat_found(found, DAT_CHECK_OPTIONS_REST, c.at, "OPTIONS", "the end",
					  "%" PRIu64 " bytes more", (uint64_t)cur_left(&c));
				f->sound = false;
			}
			break;
		}
		if (take_item(f, &item, item_at, found) < 0 || vec_push(&f->parts.at[number].items, item) < 0)
			return -SONDE_NOMEM;
	}
	if (!f->parts.at[number].ended) {
		dat_found(found, DAT_CHECK_OPTIONS_END, at, "OPTIONS", "an end mark", "the end");
		f->sound = false;
		f->lacks_options = true;
	}
	return 0;
}

static int load_options(struct dat_file *f, size_t number, uint64_t *next, struct findings *found)
{
	const struct dat_part *part = &f->parts.at[number];
	struct sonde_error why = { .file_offset = SONDE_NONE };
	uint8_t *p, *kept;
	size_t n;
	int r = dat_part_load(f, part, &p, &n, &why);

	*next = 0;
	if (r == -SONDE_NOMEM)
		return r;
	if (r < 0) {
		dat_found(found, DAT_CHECK_SECTION_PACKED, part->at, "OPTIONS", "compressed bytes", "%s", why.text);
		f->sound = false;
		f->lacks_options = true;
		return 0;
	}
	if (part->packed)
		f->packed_options = true;
	kept = arena_memdup(&f->arena, p, n ? n : 1);
	free(p);
	return kept ? take_options(f, number, kept, n, next, found) : -SONDE_NOMEM;
}

/* From the header from list to list, then those that the chain does not reach. */
static int follow_options(struct dat_file *f, struct findings *found)
{
	uint64_t at = f->header.options, next;
	size_t number, last = DAT_NONE;
	struct u64map seen = { 0 };
	int r = 0;

	f->lacks_options = at == 0;
	if (at == 0)
		dat_found(found, DAT_CHECK_UNFINISHED, f->header.end - 8, "header", "the offset of the options", "0");
	while (at && r == 0) {
		number = part_at(f, at, SECTION_OPTIONS, found);
		if (number == DAT_NONE || u64map_get(&seen, number) != U64MAP_NONE) {
			dat_found(found, number == DAT_NONE ? DAT_CHECK_OPTIONS_CHAIN : DAT_CHECK_OPTIONS_CIRCLE, at,
				  "OPTIONS", "a list that was not read yet", "%s",
				  number == DAT_NONE ? "no options" : "one that was");
			f->sound = false;
			f->lacks_options = true;
			break;
		}
		if (last == DAT_NONE)
			f->first_options = number;
		else
			f->parts.at[last].next = number;
		f->parts.at[number].reached = true;
		f->lacks_options = f->lacks_options || f->parts.at[number].cut;
		r = u64map_set(&seen, number, 1);
		if (r == 0)
			r = load_options(f, number, &next, found);
		last = number;
		at = next;
	}
	for (size_t i = 0; i < f->parts.n && r == 0; i++)
		if (f->parts.at[i].kind == DAT_PART_OPTIONS && u64map_get(&seen, i) == U64MAP_NONE) {
			if (f->header.options && at == 0)  /* otherwise it has been told why */
				dat_found(found, DAT_CHECK_OPTIONS_STRAY, f->parts.at[i].at, "OPTIONS",
					  "to be the next of another list", "it is not");
			f->sound = false;
			r = load_options(f, i, &next, NULL);
		}
	u64map_free(&seen);
	return r;
}

static int read_sections(struct dat_file *f, struct findings *found)
{
	const struct dat_part *info;
	uint8_t *p;
	size_t n;
	int r = walk_sections(f, found);

	if (r == 0)
		r = follow_options(f, found);
	info = dat_file_section(f, SECTION_HEADER_INFO);
	if (r < 0 || !info)
		return r;
	r = dat_part_load(f, info, &p, &n, NULL);
	if (r == 0)
		dat_layout_take_header_page(f, p, n);
	free(p);
	return r == -SONDE_NOMEM ? r : 0;
}

int dat_layout_read(struct dat_file *f, struct image *im, struct findings *found, enum dat_depth depth,
		    struct sonde_error *err)
{
	struct sonde_error why = { .file_offset = SONDE_NONE };
	const uint8_t *head;
	uint8_t *copy;
	size_t n;
	int r;

	dat_file_init(f, im);
	f->shallow = depth == DAT_SHALLOW;
	head = image_view_some(im, 0, HEAD_BYTES, &n);
	copy = arena_memdup(&f->arena, head ? head : (const uint8_t *)"", n ? n : 1);
	if (!copy)
		return err_nomem(err);
	r = dat_header_decode(copy, n, &f->header, &why);
	if (r < 0) {
		dat_found(found, DAT_CHECK_HEADER, why.file_offset, "header", "a trace.dat of version 6 or 7", "%s",
			  why.text);
		return err_set(err, (enum sonde_code)-r, why.file_offset, "%s", why.text);
	}
	return dat_layout_read_parts(f, found, err);
}

int dat_layout_read_parts(struct dat_file *f, struct findings *found, struct sonde_error *err)
{
	int r;

	f->swap = f->header.swap;
	f->sound = f->keeps_gaps = true;
	f->layout = dat_page_layout_default(f->header.big_endian, f->header.long_size);
	if (strcmp(f->header.compression.p, "none") != 0) {
		f->codec = codec_find(f->header.compression.p);
		if (!f->codec)
			dat_found(found, DAT_CHECK_COMPRESSION, 18, "header", "none, zlib or zstd", "another one");
	}
	r = f->header.version == 6 ? dat_layout_read_v6(f, found, err) : read_sections(f, found);
	return r == -SONDE_NOMEM ? err_nomem(err) : r;
}
