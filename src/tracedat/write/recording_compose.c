/* SPDX-License-Identifier: MIT */
#include "tracedat/write/recording_compose.h"

#include "tracedat/write/compose.h"
#include "tracedat/write/version_convert.h"

/* Where the pages of the new file come from. */
struct page_source {
	struct recording *r;
	struct image image;          /* of the file that grew, or of the file of chunks */
	bool packed;
	struct sonde_error *err;
};

/* The extents of a CPU, one after the other. */
static int copy_pages(struct page_source *s, const struct recorded_extents *l, struct page_writer *to)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < l->of.n; i++)
		if (l->of.at[i].used)
			e = dat_page_writer_copy(to, &s->image, l->of.at[i].at, l->of.at[i].used, 0, s->err);
	return e;
}

static int copy_chunks(struct page_source *s, const struct packed_pages *p, struct page_writer *to)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < p->runs.n; i++)
		e = dat_page_writer_copy(to, &s->image, p->runs.at[i].at, p->runs.at[i].n, i ? 0 : p->nr_chunks,
					 s->err);
	return e;
}

static int fill(void *ctx, struct dat_file *f, size_t buffer, const struct dat_extent *extent, struct page_writer *to)
{
	struct page_source *s = ctx;
	const struct buffer *b = &s->r->buffers[buffer];
	int e = 0;

	(void)f;
	for (size_t c = 0; e == 0 && c < b->nr_cpus; c++)
		if (b->cpus[c] == (int32_t)extent->cpu)
			e = s->packed ? copy_chunks(s, &b->extents[c].packed, to) : copy_pages(s, &b->extents[c], to);
	return e;
}

static int add_metadata(struct dat_file *f, uint16_t id, const struct page_meta *meta)
{
	struct buf b = BUF_MEMORY;
	size_t number;
	int e;

	dat_put_metadata_part(&b, id, meta);
	e = b.failed ? -SONDE_NOMEM : dat_file_add_bytes(f, id, b.p, b.n, &number);
	buf_free(&b);
	return e;
}

static int add_options(struct dat_file *f, const struct page_meta *meta)
{
	struct dat_part options = dat_part_new(DAT_PART_OPTIONS, SECTION_OPTIONS, SONDE_NONE);
	size_t number;
	int e = dat_recording_options(meta, &f->arena, &options);

	if (e == 0)
		e = dat_file_add(f, options, &number);
	if (e < 0)
		vec_free(&options.items);
	return e;
}

static int add_buffer(struct dat_file *f, const struct buffer *from, struct page_source *s)
{
	struct dat_buffer b = { .name = from->name, .clock = from->clock, .page_size = from->page_size, .fill = fill,
				.ctx = s };
	size_t number;
	int e = 0;

	for (size_t c = 0; c < from->nr_cpus && e == 0; c++) {
		struct dat_extent a = { .cpu = (uint32_t)from->cpus[c], .stated = SONDE_NONE };

		for (size_t i = 0; i < from->extents[c].of.n; i++)
			a.bytes.n += from->extents[c].of.at[i].used;
		if (a.bytes.n)
			e = vec_push(&b.extents, a);
	}
	if (e == 0)
		e = dat_file_add_buffer(f, b, &number);
	if (e < 0)
		vec_free(&b.extents);
	return e;
}

static int make_file(struct dat_file *f, const struct page_meta *meta, struct page_source *s)
{
	int e = 0;

	dat_file_init(f, NULL);
	f->header = (struct dat_header){ .big_endian = host_is_big_endian(), .long_size = sizeof(long),
					 .page_size = meta->buffers[0].page_size };
	f->nr_cpus = meta->nr_cpus;
	for (uint16_t id = SECTION_HEADER_INFO; id <= SECTION_CMDLINES && e == 0; id++)
		e = add_metadata(f, id, meta);
	if (e == 0 && meta->modules.len)
		e = add_metadata(f, SECTION_MODULES, meta);
	if (e == 0)
		e = add_options(f, meta);
	for (size_t i = 0; i < s->r->nr_buffers && e == 0; i++)
		e = add_buffer(f, &s->r->buffers[i], s);
	return e < 0 ? err_nomem(s->err) : dat_version_convert(f, (uint32_t)s->r->version, NULL, s->err);
}

int dat_recording_compose(struct recording *r, const struct page_meta *meta, bool packed, struct sonde_error *err)
{
	const struct compose_how how = { .codec = packed ? r->codec : NULL, .repack = true };
	const struct input in = { .fd = packed ? r->packing.chunks.buf.fd : r->file.fd, .dir_fd = -1 };
	struct page_source s = { .r = r, .image = { .fd = -1, .dir_fd = -1 }, .packed = packed, .err = err };
	struct dat_file f;
	struct output o;
	int e = output_open(&o, r->file.path, NULL, err);

	if (e < 0)
		return e;
	e = make_file(&f, meta, &s);
	if (e == 0)
		e = image_of_input(&s.image, &in, err);
	if (e == 0)
		e = dat_compose(&f, &o, &how, err);
	r->base.bytes = output_at(&o);
	if (e == 0)
		e = output_finish(&o, err);
	output_close(&o);
	image_close(&s.image);
	dat_file_free(&f);
	return e;
}
