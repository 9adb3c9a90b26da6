/* SPDX-License-Identifier: MIT */
/*
 * unpack.c - what is in COMPRESSED and COMPRESSED2 records
 *
 * All of them in one file are one zstd stream that the recorder flushes after each and never ends, so a stream that just
 * stops is normal. What comes out is a stretch of records that can end within one: the rest of it comes with the next.
 * Layout: PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 in tools/lib/perf/include/perf/event.h.
 */
#include "perfdata/read/unpack.h"

#include "perfdata/format/compressed.h"
#include "perfdata/read/walk_loss.h"

static int start_stream(struct walk *w, struct sonde_error *err)
{
	struct unpack *u = &w->unpack;

	if (u->decoder.state) {
		decoder_reset(&u->decoder);
		u->broken = false;
		return 0;
	}
	return decoder_init(&u->decoder, &codec_zstd, err);
}

/* The next output belongs to another record: a chunk of its own, which begins with what is left of the last. */
static int next_chunk(struct walk *w, uint64_t file_offset, struct sonde_error *err)
{
	struct chunks *chunks = &w->f->chunks;
	struct span *s = &w->unpack.span;
	struct chunk c = { .file_offset = file_offset, .part = (uint16_t)w->part, .unpacked = true }, *old;
	uint32_t index;

	if (s->p) {
		old = &chunks->list.at[s->chunk];
		if (chunk_is_alone(chunks, s->chunk)) {
			memmove(old->block->data, s->p, at_hand(s));
			s->end = old->block->data + at_hand(s);
			s->p = old->data = old->block->data;
			old->block->used = at_hand(s);
			old->file_offset = file_offset;
			return 0;
		}
		c.block = old->block;
		c.data = s->p;
	} else {
		c.block = block_new(chunks, BLOCK_BYTES);
		if (!c.block)
			return err_nomem(err);
		c.data = c.block->data;
	}
	if (chunk_add(chunks, c, &index) < 0) {
		if (!s->p)
			block_drop(chunks, c.block);
		return err_nomem(err);
	}
	if (s->p)
		chunk_unpin(chunks, s->chunk);
	else
		s->p = s->end = c.data;
	s->chunk = index;
	return 0;
}

/* Moves what is at hand to a block with room behind it. */
static int make_room(struct walk *w, struct sonde_error *err)
{
	struct chunks *chunks = &w->f->chunks;
	struct span *s = &w->unpack.span;
	struct chunk c = chunks->list.at[s->chunk];
	size_t have = at_hand(s);
	uint32_t index;

	if (chunk_is_alone(chunks, s->chunk) && have <= c.block->cap / 2)
		return next_chunk(w, c.file_offset, err);
	c.block = block_new(chunks, have * 2);
	if (!c.block)
		return err_nomem(err);
	memcpy(c.block->data, s->p, have);
	c.data = c.block->data;
	if (chunk_add(chunks, c, &index) < 0) {
		block_drop(chunks, c.block);
		return err_nomem(err);
	}
	chunk_unpin(chunks, s->chunk);
	s->chunk = index;
	c.block->used = have;
	s->p = c.data;
	s->end = s->p + have;
	return 0;
}

static void give_up(struct walk *w, const char *why)
{
	struct unpack *u = &w->unpack;
	uint64_t place = walk_place(w, &u->span);

	if (!u->broken)
		walk_lose(w, place, SONDE_LOSS_CORRUPT, u->io.nr_in, why);
	u->io.nr_in = 0;
	u->waiting = false;
	u->broken = true;
}

/* 1 when need bytes are at hand, 0 when more input is needed for that. */
int walk_unpack(struct walk *w, uint64_t need, struct sonde_error *err)
{
	struct unpack *u = &w->unpack;
	struct span *s = &u->span;
	struct sonde_error failure = { 0 };
	struct block *b;
	size_t room;
	int r;

	while (at_hand(s) < need && u->waiting) {
		b = w->f->chunks.list.at[s->chunk].block;
		if (b->used == b->cap) {
			if (make_room(w, err) < 0)
				return -SONDE_NOMEM;
			b = w->f->chunks.list.at[s->chunk].block;
		}
		u->io.out = b->data + b->used;
		u->io.nr_out = room = b->cap - b->used;
		r = decoder_step(&u->decoder, &u->io, &failure);
		if (r == -SONDE_NOMEM)
			return err_nomem(err);
		room -= u->io.nr_out;
		b->used += room;
		s->end += room;
		u->nr_out += room;
		u->waiting = r > 0;
		if (r < 0)
			give_up(w, "bytes of compressed records that cannot be decompressed");
		else if (compressed_expands_too_far(u->nr_in, u->nr_out))
			give_up(w, "bytes of compressed records that expand more than 1000-fold: what follows is not decompressed");
	}
	return at_hand(s) >= need;
}

int walk_take_compressed(struct walk *w, const struct record_header *h, struct sonde_error *err)
{
	struct unpack *u = &w->unpack;
	struct sonde_bytes b = compressed_payload(w->file.p, h, w->f->header.swap);
	const struct sonde_meta *meta = &w->f->base.meta;
	int r = 0;

	if (meta->compressed.type && meta->compressed.type != COMPRESSED_ZSTD) {
		walk_lose(w, w->file.at, SONDE_LOSS_UNSUPPORTED, 1, "compressed records of a kind that is not zstd");
		return 0;
	}
	if ((!u->decoder.state || u->broken) && compressed_begins_stream(b))
		r = start_stream(w, err);
	if (r < 0)
		return r;
	if (!u->decoder.state || u->broken) {
		walk_lose(w, w->file.at, SONDE_LOSS_CORRUPT, 1,
			  "compressed records that cannot be decompressed, because what came before them could not");
		return 0;
	}
	r = next_chunk(w, w->file.at, err);
	u->io.in = b.p;
	u->io.nr_in = b.len;
	u->nr_in += b.len;
	u->waiting = r == 0 && b.len > 0;
	return r;
}

void walk_unpack_end(struct walk *w)
{
	if (w->unpack.span.p)
		chunk_unpin(&w->f->chunks, w->unpack.span.chunk);
	decoder_free(&w->unpack.decoder);
	w->unpack = (struct unpack){ 0 };
}
