/* SPDX-License-Identifier: MIT */
/*
 * Completes a recorded file
 *
 * A small file, and one whose pages are compressed, is written anew, without the holes, and takes the name. A large
 * file of pages that are not compressed stays in place: the file system removes the holes. Meanwhile the file says that
 * it has no options, so that no reader uses old offsets.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/output.h"
#include "tracedat/format/ids.h"
#include "tracedat/write/recording_file.h"
#include "tracedat/write/recording_finish.h"
#include "tracedat/write/recording_missing.h"
#include "tracedat/write/recording_pack.h"

static uint64_t used_bytes(const struct recorded_extents *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->of.n; i++)
		n += l->of.at[i].used;
	return n;
}

/* Copied by the kernel if it can (some file systems share the blocks), else through memory. */
static int copy_range(int in, uint64_t from, int out, uint64_t to, uint64_t n, struct sonde_error *err)
{
	char *room = NULL;
	int e = 0;

	while (n > 0 && e == 0) {
		off_t in_at = (off_t)from, out_at = (off_t)to;
		ssize_t r = room ? -1 : copy_file_range(in, &in_at, out, &out_at, n < 1u << 30 ? n : 1u << 30, 0);

		if (r < 0 && !room && errno == EINTR)
			continue;
		if (r <= 0) {
			size_t want = n < 1u << 20 ? (size_t)n : 1u << 20;

			if (!room && !(room = malloc(1u << 20)))
				return err_nomem(err);
			r = pread(in, room, want, (off_t)from);
			if (r > 0)
				r = pwrite(out, room, (size_t)r, (off_t)to);
			if (r <= 0)
				e = err_sys(err, r < 0 ? errno : EIO, "cannot write the recording");
		}
		if (r > 0) {
			from += (uint64_t)r;
			to += (uint64_t)r;
			n -= (uint64_t)r;
		}
	}
	free(room);
	return e;
}

static int copy_pages(struct recording *r, const struct recorded_extents *l, int out, uint64_t at,
		      struct sonde_error *err)
{
	int e = 0;

	for (size_t i = 0; i < l->of.n && e == 0; i++) {
		e = copy_range(r->file.fd, l->of.at[i].at, out, at, l->of.at[i].used, err);
		at += l->of.at[i].used;
	}
	return e;
}

/* The number of chunks, and the chunks. */
static int copy_chunks(struct recording *r, const struct packed_pages *p, struct output *o, uint64_t at,
		       struct sonde_error *err)
{
	int e = output_patch(o, &p->nr_chunks, sizeof(p->nr_chunks), at, err);

	at += sizeof(p->nr_chunks);
	for (size_t i = 0; i < p->runs.n && e == 0; i++) {
		e = copy_range(r->packing.chunks.buf.fd, p->runs.at[i].at, o->buf.fd, at, p->runs.at[i].n, err);
		at += p->runs.at[i].n;
	}
	return e;
}

/* All parts but the buffers of version 7. */
static int put_parts(const struct recording *r, const struct page_meta *meta, struct buf *b, struct dat_places *p,
		     struct sonde_error *err)
{
	struct packer packer = { 0 };
	int e = r->codec ? packer_init(&packer, r->codec, 0, err) : 0;

	if (e == 0) {
		dat_put_metadata(b, meta, r->codec ? &packer : NULL, p);
		dat_put_tail(b, 0, meta, 1, 0, r->codec ? &packer : NULL, p);
		dat_patch_u64(b, p->head_at, p->options_at);
		e = b->failed ? err_nomem(err) : 0;
	}
	packer_free(&packer);
	return e;
}

/*
 * Version 7: sections, options, and the pages of each buffer after the head of its section.
 * @packed: the pages are compressed
 */
static int write_sections(struct recording *r, const struct page_meta *meta, bool packed, struct output *o,
			  struct sonde_error *err)
{
	struct dat_places p = { 0 };
	struct buf b = BUF_MEMORY;
	uint64_t at;
	int e = dat_places_init(&p, meta->nr_buffers, err);

	if (e < 0)
		return e;
	e = put_parts(r, meta, &b, &p, err);
	at = b.n;
	if (e == 0)
		e = output_patch(o, b.p, b.n, 0, err);
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		struct buffer *from = &r->buffers[i];
		uint64_t section = at, end = at + 16;
		uint32_t nr = 0;

		b.n = 0;
		put_u32(&b, 0, false);
		for (size_t c = 0; c < from->nr_cpus && e == 0; c++) {
			const struct recorded_extents *l = &from->extents[c];
			uint64_t used = used_bytes(l), n = packed ? 4 + l->packed.n : used;

			if (!used)
				continue;
			at = ALIGN_UP(end, (uint64_t)from->page_size);
			put_u32(&b, (uint32_t)from->cpus[c], false);
			put_u64(&b, at, false);
			put_u64(&b, n, false);
			nr++;
			e = packed ? copy_chunks(r, &l->packed, o, at, err) : copy_pages(r, l, o->buf.fd, at, err);
			end = at + n;
		}
		memcpy(b.p, &nr, sizeof(nr));
		if (e == 0)
			e = b.failed ? err_nomem(err) : output_patch(o, b.p, b.n, p.tables[i], err);
		if (e == 0)
			e = output_patch(o, &section, sizeof(section), p.sections[i], err);
		b.n = 0;
		dat_put_section(&b, SECTION_BUFFER, packed, end - (section + 16));
		if (e == 0)
			e = b.failed ? err_nomem(err) : output_patch(o, b.p, b.n, section, err);
		at = end;
		r->base.bytes = end;
	}
	buf_free(&b);
	dat_places_free(&p);
	return e;
}

static void put_clock(struct buf *b, const char *clock)
{
	put_u64(b, strlen(clock) + 2, false);
	buf_char(b, '[');
	buf_str(b, clock);
	buf_char(b, ']');
}

/* Writes @b, which begins at *at, with a table of every CPU, then the pages; *at moves to the end. */
static int write_v6_buffer(struct recording *r, const struct buffer *from, uint32_t nr_cpus, struct buf *b,
			   struct output *o, uint64_t *at, struct sonde_error *err)
{
	uint64_t start = *at, pages;
	size_t table;
	int e = 0;

	buf_put(b, "flyrecord", 10);
	table = b->n;
	buf_pad(b, 0, (size_t)nr_cpus * 16);
	put_clock(b, from->clock);
	if (b->failed)
		return err_nomem(err);
	*at = start + b->n;
	pages = ALIGN_UP(*at, (uint64_t)from->page_size);
	for (size_t c = 0; c < from->nr_cpus && e == 0; c++) {
		uint64_t used = used_bytes(&from->extents[c]);
		size_t entry = table + (size_t)from->cpus[c] * 16;

		if (!used)
			continue;
		dat_patch_u64(b, entry, pages);
		dat_patch_u64(b, entry + 8, used);
		e = copy_pages(r, &from->extents[c], o->buf.fd, pages, err);
		*at = pages += used;
	}
	return e < 0 ? e : output_patch(o, b->p, b->n, start, err);
}

/* Version 6: all parts in order. */
static int write_v6(struct recording *r, const struct page_meta *meta, struct output *o, struct sonde_error *err)
{
	size_t *places = calloc(meta->nr_buffers, sizeof(*places));
	struct buf b = BUF_MEMORY;
	uint64_t at = 0;
	int e = 0;

	if (!places)
		return err_nomem(err);
	dat_put_head(&b, 6, meta->buffers[0].page_size, NULL);
	for (uint16_t id = SECTION_HEADER_INFO; id <= SECTION_CMDLINES; id++)
		dat_put_metadata_part(&b, id, meta);
	put_u32(&b, meta->nr_cpus, false);
	buf_put(&b, "options  ", 10);
	dat_put_common_options(&b, meta);
	for (size_t i = 1; i < r->nr_buffers; i++) {
		put_u16(&b, DAT_OPTION_BUFFER, false);
		put_u32(&b, (uint32_t)(8 + strlen(r->buffers[i].name) + 1), false);
		places[i] = b.n;
		put_u64(&b, 0, false);
		put_strz(&b, r->buffers[i].name);
	}
	put_u16(&b, OPTION_DONE, false);
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		uint64_t start = at;

		if (i)
			e = output_patch(o, &start, sizeof(start), places[i], err);
		if (e == 0)
			e = write_v6_buffer(r, &r->buffers[i], meta->nr_cpus, &b, o, &at, err);
		b.n = 0;
	}
	r->base.bytes = at;
	buf_free(&b);
	free(places);
	return e;
}

/* ---- in place ---- */

#define BLOCK_BYTES UINT64_C(4096)   /* of file systems; larger blocks do not allow to remove the holes */
#define IN_PLACE_BYTES (UINT64_C(32) << 20)

/* The new offset of an extent, and the hole before it, which is removed. */
struct move {
	struct recorded_extent *extent;
	uint64_t to, hole_at, hole;  /* the hole before it, without the part that stays */
};

struct plan {
	VEC(struct move) moves;      /* in the order of the file */
	uint64_t *sections;          /* offset of the section of each buffer */
	uint64_t begin, end;         /* the part that changes: from the metadata's end to the last page's */
};

/* Whether every CPU has one extent, and they are large enough to be worth it. */
static bool fits_in_place(const struct recording *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->nr_buffers; i++)
		for (size_t c = 0; c < r->buffers[i].nr_cpus; c++) {
			if (r->buffers[i].extents[c].of.n > 1)
				return false;
			sum += r->buffers[i].extents[c].of.at[0].used;
		}
	return r->version == 7 && sum >= IN_PLACE_BYTES;
}

static int make_plan(struct recording *r, struct plan *p, struct sonde_error *err)
{
	uint64_t at = r->metadata_at[DAT_NR_METADATA - 1], kept;

	p->begin = at;
	kept = 0;                    /* the current end of the kept pages */
	p->sections = calloc(r->nr_buffers, sizeof(*p->sections));
	if (!p->sections)
		return err_nomem(err);
	for (size_t i = 0; i < r->nr_buffers; i++) {
		struct buffer *b = &r->buffers[i];
		uint64_t unit = b->page_size > BLOCK_BYTES ? b->page_size : BLOCK_BYTES, to;

		p->sections[i] = at;
		at += 16;
		to = ALIGN_UP(at, unit);
		for (size_t c = 0; c < b->nr_cpus; c++) {
			struct recorded_extent *l = &b->extents[c].of.at[0];
			struct move m = { .extent = l, .to = to };

			if (!l->used)
				continue;
			/* bytes before the first extent do not move: their offsets are final */
			m.hole_at = kept ? kept + (to - p->end) : to;
			m.hole = l->at - m.hole_at;
			if (vec_push(&p->moves, m) < 0)
				return err_nomem(err);
			kept = l->at + l->used;
			p->end = at = to = to + l->used;
		}
	}
	if (p->end < at)
		p->end = at;
	return 0;
}

/* Removes the holes, from the last to the first. 0; 1 if the file system cannot do it and nothing has changed. */
static int take_holes_out(struct recording *r, struct plan *p)
{
	for (size_t i = p->moves.n; i-- > 0;) {
		const struct move *m = &p->moves.at[i];

		if (m->hole && fallocate(r->file.fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)m->hole_at, (off_t)m->hole) < 0)
			return 1;
		for (size_t k = i; k < p->moves.n; k++)
			p->moves.at[k].extent->at -= m->hole;
	}
	return 0;
}

/* Writes the heads of the sections, and zeros over the data that only served growth. */
static int write_heads(struct recording *r, const struct plan *p, struct sonde_error *err)
{
	struct buf b = BUF_MEMORY;
	int e = 0;

	buf_pad(&b, 0, p->moves.at[0].to - p->begin);
	e = b.failed ? err_nomem(err) : dat_recording_write(r, b.p, b.n, p->begin, err);
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		uint64_t end = i + 1 < r->nr_buffers ? p->sections[i + 1] : p->end;

		b.n = 0;
		dat_put_section(&b, SECTION_BUFFER, false, end - (p->sections[i] + 16));
		e = b.failed ? err_nomem(err) : dat_recording_write(r, b.p, b.n, p->sections[i], err);
	}
	buf_free(&b);
	return e;
}

/* Writes the parts after the pages, then the offset of the options. */
static int write_tail(struct recording *r, const struct page_meta *meta, const struct plan *plan,
		      struct sonde_error *err)
{
	struct dat_places p;
	struct buf b = BUF_MEMORY;
	int e = dat_places_init(&p, meta->nr_buffers, err);

	if (e == 0) {
		memcpy(p.metadata_at, r->metadata_at, sizeof(p.metadata_at));
		dat_put_tail(&b, plan->end, meta, 1, 0, NULL, &p);
		if (b.failed)
			e = err_nomem(err);
	}
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++) {
		const struct buffer *from = &r->buffers[i];
		char *entry = b.p + p.tables[i] + 4;
		uint32_t nr = 0;

		store_u64(b.p + p.sections[i], plan->sections[i], false);
		for (size_t c = 0; c < from->nr_cpus; c++) {
			const struct recorded_extent *l = &from->extents[c].of.at[0];

			if (!l->used)
				continue;
			store_u32(entry, (uint32_t)from->cpus[c], false);
			store_u64(entry + 4, l->at, false);
			store_u64(entry + 12, l->used, false);
			entry += ENTRY_BYTES;
			nr++;
		}
		store_u32(b.p + p.tables[i], nr, false);
	}
	if (e == 0)
		e = dat_recording_write(r, b.p, b.n, plan->end, err);
	if (e == 0)
		e = dat_recording_write_u64(r, p.options_at, r->head_at, err);
	r->base.bytes = plan->end + b.n;
	buf_free(&b);
	dat_places_free(&p);
	return e;
}

/* 0; 1 if the file system cannot remove holes: the file is as before, or r has the current offsets of its extents. */
static int finish_in_place(struct recording *r, const struct page_meta *meta, struct sonde_error *err)
{
	struct plan p = { 0 };
	const struct recorded_extent *last;
	int e = make_plan(r, &p, err);

	if (e == 0) {
		last = p.moves.at[p.moves.n - 1].extent;
		if (ftruncate(r->file.fd, (off_t)(last->at + last->used)) < 0)
			e = 1;
	}
	/* waits for the disk first, while the file is whole */
	if (e == 0 && fdatasync(r->file.fd) < 0)
		e = 1;
	if (e == 0)
		e = dat_recording_write_u64(r, 0, r->head_at, err);
	if (e == 0) {
		e = take_holes_out(r, &p);
		if (e && dat_recording_write_u64(r, r->options_at, r->head_at, err) < 0)
			e = -SONDE_SYSTEM;
	}
	if (e == 0)
		e = write_heads(r, &p, err);
	if (e == 0)
		e = write_tail(r, meta, &p, err);
	vec_free(&p.moves);
	free(p.sections);
	return e;
}

/* ---- the choice of the way ---- */

static int finish_anew(struct recording *r, const struct page_meta *meta, bool packed, struct sonde_error *err)
{
	struct output o;
	int e = output_open(&o, r->file.path, NULL, err);

	if (e < 0)
		return e;
	e = r->version == 6 ? write_v6(r, meta, &o, err) : write_sections(r, meta, packed, &o, err);
	if (e == 0)
		e = output_finish(&o, err);
	output_close(&o);
	return e;
}

int dat_recording_finish(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err)
{
	struct recording *r = recording_of(s);
	struct recording_notes notes = { 0 };
	struct page_meta whole = *meta;
	int e = dat_recording_note_missing(r, &whole, &notes, err), tried = 1;

	/* without room for a second file, the pages stay as they are */
	if (e == 0 && r->codec && dat_recording_pack_rest(r))
		tried = finish_anew(r, &whole, true, &r->packing.err);
	dat_recording_pack_end(r);
	if (e == 0 && tried != 0)
		e = fits_in_place(r) ? finish_in_place(r, &whole, err) : 1;
	if (e > 0)
		e = finish_anew(r, &whole, false, err);
	vec_free(&notes.all);
	arena_free(&notes.arena);
	return e;
}
