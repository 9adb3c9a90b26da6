/* SPDX-License-Identifier: MIT */
#include "tracedat/stream.h"

#define BLOCK_BYTES (64 * 1024)          /* of pages that are read at once: there are as many of these as CPUs */
#define AHEAD_BYTES (32 * 1024)

static const struct region *region_of(const struct stream *s)
{
	return &s->f->regions.at[s->region];
}

static void lose(struct stream *s, enum sonde_loss_kind kind, uint64_t n, uint64_t at, uint64_t time, const char *what)
{
	if (s->f->ledger_owner == s->walk)
		ledger_add(&s->f->base.ledger, kind, n, at, time, region_of(s)->cpu, "%s", what);
}

/* Makes n bytes at s->at available, of which there may be fewer at the end: a view until the next call. */
static int look_ahead(struct stream *s, uint64_t n, struct cursor *out, struct sonde_error *err)
{
	uint64_t left = s->end - s->at, skip = s->at - s->ahead.at, want;
	int r;

	n = n < left ? n : left;
	if (!s->ahead.p || skip > s->ahead.n || s->ahead.n - skip < n) {
		want = n > AHEAD_BYTES ? n : AHEAD_BYTES;
		bytes_free(&s->ahead);
		r = bytes_read(s->f, s->at, want < left ? want : left, &s->ahead, err);
		if (r < 0)
			return r;
		skip = 0;
	}
	*out = cur_new(s->ahead.p + skip, s->ahead.n - skip, s->at, s->f->header.swap, NULL);
	return 0;
}

int stream_start(struct stream *s, struct tracedat *f, const struct walk *walk, uint32_t number, uint64_t *budget,
		 struct sonde_error *err)
{
	const struct region *region = &f->regions.at[number];
	struct cursor c;
	int r;

	*s = (struct stream){ .f = f, .walk = walk, .region = number, .piece = PIECE_NONE, .budget = budget,
			      .at = region->offset, .end = region->offset + region->size };
	if (!region->compressed)
		return 0;
	r = look_ahead(s, 4, &c, err);
	if (r < 0)
		return r;
	s->nr_chunks = cur_u32(&c);
	s->at = c.at;
	if (!cur_ok(&c) || !f->codec)
		s->nr_chunks = 0;
	if (!f->codec)
		lose(s, SONDE_LOSS_UNSUPPORTED, region->size, region->offset, SONDE_NONE,
		     "bytes of pages are compressed, but the file does not say how in a way that is known");
	return 0;
}

static void drop_piece(struct stream *s)
{
	if (s->piece == PIECE_NONE)
		return;
	s->f->pieces.at[s->piece].held = false;
	piece_release(s->f, s->piece);
	s->piece = PIECE_NONE;
}

void stream_end(struct stream *s)
{
	drop_piece(s);
	bytes_free(&s->ahead);
	s->ahead.p = NULL;
}

uint64_t stream_passed(const struct stream *s)
{
	return s->at - region_of(s)->offset;
}

static void set_pages(struct stream *s, const uint8_t *p, size_t n)
{
	s->p = p;
	s->pages_end = p + n;
	s->page_at = NULL;
}

/* A piece with room for size bytes: the one before, if nobody else needs it. */
static int make_room(struct stream *s, size_t size, uint64_t at, struct sonde_error *err)
{
	struct piece fresh = { .region = s->region, .held = true, .cap = size };
	struct piece *p = s->piece == PIECE_NONE ? NULL : &s->f->pieces.at[s->piece];

	if (!p || p->pins || p->cap < size) {
		drop_piece(s);
		fresh.owned = malloc(size);
		if (!fresh.owned)
			return err_nomem(err);
		s->piece = piece_new(s->f, fresh);
		if (s->piece == PIECE_NONE)
			return err_nomem(err);
		p = &s->f->pieces.at[s->piece];
	}
	p->data = p->owned;
	p->size = size;
	p->file_offset = at;
	p->packed = region_of(s)->compressed;
	return 0;
}

/* The pages as they lie in memory: all of them. */
static int take_memory(struct stream *s, struct sonde_error *err)
{
	struct piece p = { .data = s->f->input.map.data + s->at, .size = s->end - s->at, .file_offset = s->at,
			   .region = s->region, .held = true };

	drop_piece(s);
	s->piece = piece_new(s->f, p);
	if (s->piece == PIECE_NONE)
		return err_nomem(err);
	set_pages(s, p.data, p.size);
	s->at = s->end;
	return 1;
}

/* The next pages of a file. */
static int take_block(struct stream *s, struct sonde_error *err)
{
	size_t page_size = region_of(s)->page_size, size = page_size < BLOCK_BYTES ? BLOCK_BYTES / page_size * page_size : page_size;
	uint64_t at = s->at;
	int64_t got;
	int r;

	if (s->at == s->end)
		return 0;
	if (s->f->input.fd < 0)
		return take_memory(s, err);
	r = make_room(s, size, at, err);
	if (r < 0)
		return r;
	size = s->end - at < size ? s->end - at : size;
	got = input_read(s->f->input.fd, at, s->f->pieces.at[s->piece].owned, size, err);
	if (got < 0)
		return (int)got;
	s->at += size;
	if ((size_t)got < size) {
		lose(s, SONDE_LOSS_TRUNCATED, s->end - at - (uint64_t)got, at + (uint64_t)got, SONDE_NONE,
		     "bytes of pages are missing: the file has become shorter");
		s->at = s->end;
	}
	s->f->pieces.at[s->piece].size = (size_t)got;
	set_pages(s, s->f->pieces.at[s->piece].data, (size_t)got);
	return 1;
}

/* The next compressed piece that can be read. */
static int take_chunk(struct stream *s, struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	struct tracedat *f = s->f;

	while (s->nr_chunks) {
		uint64_t at = s->at;
		uint32_t packed, size;
		struct cursor c;
		const uint8_t *p;
		int r = look_ahead(s, 8, &c, err);

		if (r < 0)
			return r;
		packed = cur_u32(&c);
		size = cur_u32(&c);
		r = look_ahead(s, 8 + (uint64_t)packed, &c, err);
		if (r < 0)
			return r;
		cur_take(&c, 8);
		p = cur_take(&c, packed);
		s->nr_chunks--;
		s->at = p ? c.at : s->end;
		if (!p) {
			lose(s, SONDE_LOSS_TRUNCATED, s->nr_chunks + UINT64_C(1), at, SONDE_NONE,
			     "compressed pieces of pages are missing or cut");
			s->nr_chunks = 0;
			return 0;
		}
		if (size == 0)
			continue;
		if (size > *s->budget) {
			lose(s, SONDE_LOSS_CORRUPT, 1, at, SONDE_NONE, "compressed pieces of pages say that they are larger than can be");
			continue;
		}
		*s->budget -= size;
		r = make_room(s, size, at, err);
		if (r < 0)
			return r;
		r = piece_decompress(f, p, packed, f->pieces.at[s->piece].owned, size, &failure);
		if (r == -SONDE_NOMEM)
			return err_nomem(err);
		if (r == 0) {
			set_pages(s, f->pieces.at[s->piece].data, size);
			return 1;
		}
		lose(s, SONDE_LOSS_CORRUPT, 1, at, SONDE_NONE, "compressed pieces of pages cannot be decompressed");
	}
	return 0;
}

static uint64_t offset_of(const struct stream *s, const uint8_t *p)
{
	const struct piece *piece = &s->f->pieces.at[s->piece];

	return piece->packed ? piece->file_offset : piece->file_offset + (uint64_t)(p - piece->data);
}

/* Begins with the next page: 1, 0 at the end. */
static int next_page(struct stream *s, struct sonde_error *err)
{
	size_t page_size = region_of(s)->page_size, left;
	const uint8_t *p;
	int r;

	for (;;) {
		while (s->p == s->pages_end) {
			r = region_of(s)->compressed ? take_chunk(s, err) : take_block(s, err);
			if (r <= 0)
				return r;
		}
		p = s->p;
		left = (size_t)(s->pages_end - p);
		s->p += left < page_size ? left : page_size;
		if (page_open(&s->page, &s->f->layout, p, (size_t)(s->p - p), page_size) == 0) {
			s->page_at = p;
			return 1;
		}
		lose(s, SONDE_LOSS_CORRUPT, 1, offset_of(s, p), SONDE_NONE, "pages say that they hold more than a page can, or are cut");
	}
}

static uint64_t time_of_page(const struct stream *s)
{
	return dat_clock_ns(&s->f->clock, region_of(s)->cpu, s->page.time);
}

/* The record of what was lost before this page; it has the time of the page's first event. */
static struct record_ref make_lost(struct stream *s)
{
	struct record_ref ref = { .time = time_of_page(s), .p = s->page_at, .chunk = s->piece, .kind = DAT_LOST };

	if (s->page.nr_missed == SONDE_NONE)
		lose(s, SONDE_LOSS_RECORDER, 1, offset_of(s, s->page_at), ref.time,
		     "times that events were lost because the ring buffer was full, the kernel does not say how many");
	else
		lose(s, SONDE_LOSS_RECORDER, s->page.nr_missed, offset_of(s, s->page_at), ref.time,
		     "events lost because the ring buffer was full (a larger -b helps)");
	s->page.missed = false;
	return ref;
}

int stream_next(struct stream *s, struct record_ref *out, struct sonde_error *err)
{
	struct page_event ev;
	int r;

	if (s->has_after) {
		s->has_after = false;
		*out = s->after;
		return 1;
	}
	for (;;) {
		if (!s->page_at) {
			r = next_page(s, err);
			if (r <= 0)
				return r;
		}
		r = page_next(&s->page, &ev);
		if (r > 0) {
			/* field by field: a copy in pieces of other sizes than it was written in waits for the memory */
			out->time = time_of_page(s);
			out->p = ev.at;
			out->chunk = s->piece;
			out->mark = MARK_NONE;
			out->kind = DAT_EVENT;
			if (s->page.missed) {
				s->after = *out;
				s->has_after = true;
				*out = make_lost(s);
			}
			return 1;
		}
		if (r < 0 && !s->page.cut)
			lose(s, SONDE_LOSS_CORRUPT, 1, offset_of(s, s->page.p), time_of_page(s),
			     "pages with bytes that are no event: what follows in them is passed over");
		if (s->page.missed) {
			*out = make_lost(s);
			s->page_at = NULL;
			return 1;
		}
		s->page_at = NULL;
	}
}
