/* SPDX-License-Identifier: MIT */
/*
 * Completes a recorded file
 *
 * A small file, and one whose pages are compressed, is written anew, without the holes, and takes the name. A large
 * file of pages that are not compressed stays in place: the extents of each CPU become one, and the file system removes
 * the holes. Meanwhile the file says that it has no options, so that no reader uses old offsets.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracedat/format/ids.h"
#include "tracedat/write/recording_compose.h"
#include "tracedat/write/recording_finish.h"
#include "tracedat/write/recording_gather.h"
#include "tracedat/write/recording_missing.h"
#include "tracedat/write/recording_pack.h"

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

/* Whether the file system can remove a hole: tried behind the end. */
static bool can_take_holes_out(const struct recording *r)
{
	off_t end = (off_t)ALIGN_UP(r->end, BLOCK_BYTES), block = (off_t)BLOCK_BYTES;
	bool can = ftruncate(r->file.fd, end + 2 * block) == 0 &&
		fallocate(r->file.fd, FALLOC_FL_COLLAPSE_RANGE, end, block) == 0;

	return ftruncate(r->file.fd, (off_t)r->end) == 0 && can;
}

/* Whether the pages are enough to be worth it, and every CPU has one extent or can get it. */
static bool fits_in_place(struct recording *r)
{
	bool several = false;
	uint64_t sum = 0;

	for (size_t i = 0; i < r->nr_buffers; i++)
		for (size_t c = 0; c < r->buffers[i].nr_cpus; c++) {
			const struct recorded_extents *l = &r->buffers[i].extents[c];

			several = several || l->of.n > 1;
			for (size_t k = 0; k < l->of.n; k++)
				sum += l->of.at[k].used;
		}
	if (r->version != 7 || sum < IN_PLACE_BYTES || !can_take_holes_out(r))
		return false;
	return !several || dat_recording_gather(r) == 0;
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

int dat_recording_finish(struct page_sink *s, const struct page_meta *meta, struct sonde_error *err)
{
	struct recording *r = recording_of(s);
	struct recording_notes notes = { 0 };
	struct page_meta whole = *meta;
	int e = dat_recording_note_missing(r, &whole, &notes, err), tried = 1;

	/* without room for a second file, the pages stay as they are */
	if (e == 0 && r->codec && dat_recording_pack_rest(r))
		tried = dat_recording_compose(r, &whole, true, &r->packing.err);
	dat_recording_pack_end(r);
	if (e == 0 && tried != 0)
		e = fits_in_place(r) ? finish_in_place(r, &whole, err) : 1;
	if (e > 0)
		e = dat_recording_compose(r, &whole, false, err);
	vec_free(&notes.all);
	arena_free(&notes.arena);
	return e;
}
