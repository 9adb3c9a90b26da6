/* SPDX-License-Identifier: MIT */
#include "tracedat/write/compose.h"

#include "tracedat/format/encode.h"
#include "tracedat/format/option.h"

/* Options with an offset: written again when the offset is known. */
struct fixup {
	size_t part, item;
	uint64_t at;                 /* of the option's data; of the end mark if item is DAT_NONE */
};

struct dat_compose {
	struct dat_file *f;
	struct output *to;
	struct compose_how how;
	struct packer packer;
	struct sonde_error *err;
	VEC(struct fixup) fixups;
	uint64_t options_at;         /* of the field in the header */
	bool has_clock;              /* version 6: TRACECLOCK is among the options */
	uint64_t table_end;          /* version 6: of the last buffer's table */
};

struct compose_how dat_compose_same(const struct dat_file *f)
{
	return (struct compose_how){ .codec = f->codec };
}

static struct buf *out(struct dat_compose *c)
{
	return &c->to->buf;
}

static int put_bytes(struct dat_compose *c, const struct dat_bytes *b)
{
	if (!b->p)
		return output_copy(c->to, c->f->image, b->at, b->n, c->err);
	buf_put(out(c), b->p, b->n);
	return out(c)->failed;
}

static int patch_u64(struct dat_compose *c, uint64_t v, uint64_t at)
{
	uint8_t bytes[8];

	store_u64(bytes, v, c->f->swap);
	return output_patch(c->to, bytes, sizeof(bytes), at, c->err);
}

static bool is_v6(const struct dat_compose *c)
{
	return c->f->header.version == 6;
}

/* Whether bytes of the image, compressed or not, can be copied. */
static bool keeps_packing(const struct dat_compose *c, bool packed)
{
	return packed ? !c->how.repack && c->how.codec == c->f->codec && c->f->codec : !c->how.codec || !c->how.repack;
}

static void put_header(struct dat_compose *c)
{
	const struct dat_header *h = &c->f->header;
	const struct codec *codec = c->how.codec;

	dat_encode_header(out(c), h->version, h->big_endian, h->long_size, h->page_size);
	if (is_v6(c))
		return;
	if (c->f->codec == codec && !c->how.repack && h->compression.p) {
		put_strz(out(c), h->compression.p);
		put_strz(out(c), h->compression_version.p);
	} else {
		put_strz(out(c), codec ? codec->name : "none");
		put_strz(out(c), codec ? codec->version() : "");
	}
	c->options_at = output_at(c->to);
	put_u64(out(c), 0, false);
}

/* Changes the compression of a section's payload. */
static int put_packed(struct dat_compose *c, const struct dat_part *part)
{
	const uint8_t *packed = NULL;
	uint8_t *plain;
	size_t n, size = 0;
	bool pack = c->how.codec && !is_v6(c);
	int r = dat_part_load(c->f, part, &plain, &n, c->err);

	if (r < 0)
		return r;
	if (pack) {
		packed = packer_pack(&c->packer, plain, n ? n : 1, &size);
		if (!packed || n > UINT32_MAX) {
			free(plain);
			return packed ? err_set(c->err, SONDE_UNSUPPORTED, part->at, "is too large to be compressed") :
					err_nomem(c->err);
		}
	}
	if (!is_v6(c))
		dat_encode_section(out(c), c->f->swap, part->id, pack, part->description, pack ? size + 8 : n);
	if (pack) {
		put_u32(out(c), (uint32_t)size, c->f->swap);
		put_u32(out(c), (uint32_t)n, c->f->swap);
		buf_put(out(c), packed, size);
	} else {
		buf_put(out(c), plain, n);
	}
	free(plain);
	return out(c)->failed;
}

static int put_section(struct dat_compose *c, const struct dat_part *part)
{
	bool keep = keeps_packing(c, part->packed) && !(is_v6(c) && part->packed);

	if (!keep && part->bytes.n)
		return put_packed(c, part);
	if (!is_v6(c))
		dat_encode_section(out(c), c->f->swap, part->id, part->packed && keep, part->description,
				   part->bytes.n);
	return put_bytes(c, &part->bytes);
}

/* A compressed text is a list of chunks. */
static int put_text(struct dat_compose *c, const struct dat_part *part)
{
	bool keep = keeps_packing(c, part->packed), pack = c->how.codec && !is_v6(c);
	uint64_t at = output_at(c->to), size;
	struct page_writer w;
	uint8_t *plain;
	size_t n;
	int r;

	if (is_v6(c))
		buf_put(out(c), "latency  ", 10);
	else
		dat_encode_section(out(c), c->f->swap, part->id, keep ? part->packed : pack, part->description,
				   part->bytes.n);
	if (keep && !(is_v6(c) && part->packed))
		return put_bytes(c, &part->bytes);
	r = dat_part_load(c->f, part, &plain, &n, c->err);
	if (r < 0)
		return r;
	r = dat_page_writer_start(&w, c->to, 1, c->f->swap, pack ? &c->packer : NULL, c->err);
	if (r == 0 && pack) {  /* chunks of ten pages */
		free(w.chunk);
		w.chunk_bytes = (size_t)c->f->header.page_size * DAT_CHUNK_PAGES;
		w.chunk = malloc(w.chunk_bytes);
		r = w.chunk ? 0 : err_nomem(c->err);
	}
	if (r == 0)
		r = dat_page_writer_put(&w, plain, n, c->err);
	if (r == 0)
		r = dat_page_writer_finish(&w, &size, c->err);
	dat_page_writer_free(&w);
	free(plain);
	return r == 0 && !is_v6(c) ? patch_u64(c, size, at + 8) : r;
}

/* Option BUFFER of version 7, with the offsets known so far. */
static void make_buffer_option(const struct dat_compose *c, const struct dat_item *item, struct buf *to)
{
	const struct dat_buffer *b = &c->f->buffers.at[item->buffer];
	bool swap = c->f->swap;

	put_u64(to, item->part == DAT_NONE ? 0 : c->f->parts.at[item->part].new_at, swap);
	put_strz(to, b->name);
	put_strz(to, b->clock);
	put_u32(to, b->page_size, swap);
	put_u32(to, (uint32_t)b->extents.n, swap);
	for (size_t i = 0; i < b->extents.n; i++) {
		const struct dat_extent *a = &b->extents.at[i];

		put_u32(to, a->cpu, swap);
		put_u64(to, a->new_at, swap);
		put_u64(to, a->new_n - (a->new_n ? a->size_short : 0), swap);
	}
	buf_put(to, b->tail.p, b->tail.len);
}

static bool has_place(const struct dat_compose *c, const struct dat_item *item)
{
	return item->buffer != DAT_NONE || (item->part != DAT_NONE && !is_v6(c));
}

/* The data of an option with an offset. */
static void make_item(const struct dat_compose *c, const struct dat_item *item, struct buf *to)
{
	if (item->buffer != DAT_NONE && !is_v6(c)) {
		make_buffer_option(c, item, to);
		return;
	}
	put_u64(to, c->f->parts.at[item->part].new_at, c->f->swap);
	if (item->buffer != DAT_NONE && item->data.len <= 8)
		put_strz(to, c->f->buffers.at[item->buffer].name);
	else if (item->data.len > 8)
		buf_put(to, item->data.p + 8, item->data.len - 8);
}

static int put_item(struct dat_compose *c, size_t part, size_t number)
{
	const struct dat_item *item = &c->f->parts.at[part].items.at[number];
	struct fixup fix = { part, number, output_at(c->to) + 6 };
	struct buf data = BUF_MEMORY;
	int r = 0;

	if (!has_place(c, item)) {
		dat_encode_option(out(c), c->f->swap, item->id, item->data.p, (uint32_t)item->data.len);
		return out(c)->failed;
	}
	make_item(c, item, &data);
	dat_encode_option(out(c), c->f->swap, item->id, data.p, (uint32_t)data.n);
	r = data.failed ? err_nomem(c->err) : out(c)->failed;
	buf_free(&data);
	return r == 0 && vec_push(&c->fixups, fix) < 0 ? err_nomem(c->err) : r;
}

static int put_options(struct dat_compose *c, size_t number)
{
	const struct dat_part *part = &c->f->parts.at[number];
	uint64_t at = output_at(c->to);
	struct fixup fix = { number, DAT_NONE, 0 };
	int r = 0;

	if (is_v6(c)) {
		put_u32(out(c), c->f->nr_cpus, c->f->swap);
		if (!part->has_options)
			return out(c)->failed;
		buf_put(out(c), "options  ", 10);
	} else {
		dat_encode_section(out(c), c->f->swap, SECTION_OPTIONS, 0, part->description, 0);
	}
	for (size_t i = 0; i < part->items.n && r == 0; i++) {
		c->has_clock = c->has_clock || part->items.at[i].id == DAT_OPTION_TRACECLOCK;
		r = put_item(c, number, i);
	}
	if (r < 0)
		return r;
	if (is_v6(c)) {
		put_u16(out(c), OPTION_DONE, false);
		return out(c)->failed;
	}
	fix.at = output_at(c->to) + 6;
	dat_encode_option(out(c), c->f->swap, OPTION_DONE, "\0\0\0\0\0\0\0", 8);
	if (vec_push(&c->fixups, fix) < 0)
		return err_nomem(c->err);
	return patch_u64(c, output_at(c->to) - at - SECTION_HEADER_BYTES, at + 8);
}

/*
 * Changes the compression of an extent's pages. Empty pages, usually holes, are left out: compressed, they would be a
 * bomb of zeros.
 */
static int repack_extent(struct dat_compose *c, const struct dat_buffer *b, const struct dat_extent *a,
			 struct page_writer *to)
{
	struct page_reader from;
	struct page_run run;
	int r;

	dat_pages_start(&from, c->f, b, a);
	while ((r = dat_pages_next(&from, &run, c->err)) > 0) {
		if (to->packer && pages_are_empty(run.p, run.n))
			continue;
		r = dat_page_writer_put(to, run.p, run.n, c->err);
		if (r < 0)
			break;
	}
	if (r == 0 && from.nr_damaged)
		r = err_set(c->err, SONDE_CORRUPT, from.damaged_at,
			    "compressed pages cannot be read; 'sonde repair' comes first");
	dat_pages_end(&from);
	return r;
}

static int put_extent(struct dat_compose *c, size_t number, struct dat_extent *a)
{
	const struct dat_buffer *b = &c->f->buffers.at[number];
	bool keep = !b->fill && keeps_packing(c, b->packed) && !(is_v6(c) && b->packed);
	struct page_writer w;
	int r;

	if (!b->fill && a->bytes.n == 0) {
		/* an extent without pages: offset 0, so that no reader looks beyond the end of the file */
		a->new_at = !c->f->keeps_gaps   ? 0 :
			a->stated != SONDE_NONE ? a->stated :
						  page_align(output_at(c->to), b->page_size);
		a->new_n = 0;
		return 0;
	}
	if (c->f->keeps_gaps && a->gap.n) {
		r = put_bytes(c, &a->gap);
		if (r < 0)
			return r;
	} else if (keep) {
		buf_pad(out(c), 0, (size_t)(page_align(output_at(c->to), b->page_size) - output_at(c->to)));
	}
	if (keep) {
		a->new_at = output_at(c->to);
		a->new_n = a->bytes.n;
		return put_bytes(c, &a->bytes);
	}
	a->size_short = 0;
	r = dat_page_writer_start(&w, c->to, b->page_size, c->f->swap, is_v6(c) || !c->how.codec ? NULL : &c->packer,
				  c->err);
	if (c->f->keeps_gaps && a->gap.n)
		w.align = 1;
	if (r == 0)
		r = b->fill ? b->fill(b->ctx, c->f, number, a, &w) : repack_extent(c, b, a, &w);
	if (r == 0)
		r = dat_page_writer_finish(&w, &a->new_n, c->err);
	a->new_at = w.at;
	dat_page_writer_free(&w);
	return r;
}

/* Version 7: the table has only the CPUs with pages. They are known only now if the extents have their own content. */
static void drop_unfilled(struct dat_buffer *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->extents.n; i++)
		if (b->extents.at[i].new_n)
			b->extents.at[n++] = b->extents.at[i];
	b->extents.n = n;
	b->order.n = 0;
}

static int put_extents(struct dat_compose *c, size_t number)
{
	struct dat_buffer *b = &c->f->buffers.at[number];
	int r = 0;

	for (size_t i = 0; i < b->extents.n && r == 0; i++)
		r = put_extent(c, number, &b->extents.at[b->order.n == b->extents.n ? b->order.at[i] : i]);
	if (r == 0 && b->fill && !is_v6(c))
		drop_unfilled(b);
	if (r == 0 && c->f->keeps_gaps && b->rest.n)
		r = put_bytes(c, &b->rest);
	return r;
}

static bool is_packed(const struct dat_compose *c, const struct dat_buffer *b)
{
	return b->fill || !keeps_packing(c, b->packed) ? c->how.codec != NULL : b->packed;
}

/* Version 6: a table of all CPUs, then the clock if an option announces it. */
static int put_v6_buffer(struct dat_compose *c, size_t number)
{
	struct dat_buffer *b = &c->f->buffers.at[number];
	uint8_t row[16];
	int r;

	buf_put(out(c), "flyrecord", 10);
	b->new_table = output_at(c->to);
	buf_pad(out(c), 0, b->extents.n * 16);
	if (b->has_clock_text || c->has_clock) {
		put_u64(out(c), b->clock_text.n, c->f->swap);
		r = put_bytes(c, &b->clock_text);
		if (r < 0)
			return r;
	}
	c->table_end = output_at(c->to);
	r = put_extents(c, number);
	for (size_t i = 0; i < b->extents.n && r == 0; i++) {
		store_u64(row, b->extents.at[i].new_at, c->f->swap);
		store_u64(row + 8, b->extents.at[i].new_n, c->f->swap);
		r = output_patch(c->to, row, sizeof(row), b->new_table + i * UINT64_C(16), c->err);
	}
	return r;
}

static int put_buffer(struct dat_compose *c, const struct dat_part *part)
{
	uint64_t at = output_at(c->to);
	int r;

	if (part->buffer == DAT_NONE)  /* no option refers to it */
		return put_section(c, part);
	if (is_v6(c))
		return put_v6_buffer(c, part->buffer);
	dat_encode_section(out(c), c->f->swap, SECTION_BUFFER, is_packed(c, &c->f->buffers.at[part->buffer]),
			   part->description, 0);
	r = put_extents(c, part->buffer);
	return r < 0 ? r : patch_u64(c, output_at(c->to) - at - SECTION_HEADER_BYTES, at + 8);
}

static int put_part(struct dat_compose *c, size_t number)
{
	struct dat_part *part = &c->f->parts.at[number];

	part->new_at = output_at(c->to);
	switch (part->kind) {
	case DAT_PART_OPTIONS:
		return put_options(c, number);
	case DAT_PART_BUFFER:
		return put_buffer(c, part);
	case DAT_PART_TEXT:
		return put_text(c, part);
	case DAT_PART_RAW:
		return put_bytes(c, &part->bytes);
	default:
		return put_section(c, part);
	}
}

static int fix_up(struct dat_compose *c, const struct fixup *fix)
{
	const struct dat_part *part = &c->f->parts.at[fix->part];
	struct buf data = BUF_MEMORY;
	int r;

	if (fix->item == DAT_NONE)
		return part->next == DAT_NONE ? 0 : patch_u64(c, c->f->parts.at[part->next].new_at, fix->at);
	make_item(c, &part->items.at[fix->item], &data);
	r = data.failed ? err_nomem(c->err) : output_patch(c->to, data.p, data.n, fix->at, c->err);
	buf_free(&data);
	return r;
}

int dat_compose(struct dat_file *f, struct output *to, const struct compose_how *how, struct sonde_error *err)
{
	struct dat_compose c = { .f = f, .to = to, .how = *how, .err = err };
	int r = 0;

	if (!output_can_seek(to))
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "a trace.dat cannot be written to a pipe: its header refers to later offsets");
	if (how->codec)
		r = packer_init(&c.packer, how->codec, how->level, err);
	if (r == 0)
		put_header(&c);
	for (size_t i = 0; i < f->parts.n && r == 0; i++)
		r = put_part(&c, i);
	/* trace-cmd reads a few bytes beyond a table: they have to exist */
	if (r == 0 && c.table_end == output_at(to) && !f->keeps_gaps)
		buf_pad(&to->buf, 0, (size_t)(page_align(c.table_end, f->header.page_size) - c.table_end));
	for (size_t i = 0; i < c.fixups.n && r == 0; i++)
		r = fix_up(&c, &c.fixups.at[i]);
	/* this field tells whether the file is complete, so it is written last */
	if (r == 0 && f->header.version == 7 && f->first_options != DAT_NONE)
		r = patch_u64(&c, f->parts.at[f->first_options].new_at, c.options_at);
	packer_free(&c.packer);
	vec_free(&c.fixups);
	return r < 0 ? r : to->buf.failed;
}
