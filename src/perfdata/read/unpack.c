/* SPDX-License-Identifier: MIT */
/*
 * unpack.c - what is in COMPRESSED and COMPRESSED2 records
 *
 * All of them in one file are one zstd stream that the recorder flushes after each and never ends, so a stream that just
 * stops is normal. What comes out is a stretch of records that can end within one: the rest of it comes with the next.
 * Layout: PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 in tools/lib/perf/include/perf/event.h.
 */
#include "perfdata/read/unpack.h"

#include "codec/zstd.h"
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

/* The next output belongs to another record: a block of its own, which begins with what is left of the last. */
static int next_block(struct walk *w, uint64_t file_offset, struct sonde_error *err)
{
	struct blocks *blocks = &w->f->blocks;
	struct span *s = &w->unpack.span;
	struct block c = { .file_offset = file_offset, .part = (uint16_t)w->part, .unpacked = true }, *old;
	uint32_t index;

	if (s->p) {
		old = &blocks->list.at[s->block];
		if (block_is_alone(blocks, s->block)) {
			memmove(old->memory->data, s->p, at_hand(s));
			s->end = old->memory->data + at_hand(s);
			s->p = old->data = old->memory->data;
			old->memory->used = at_hand(s);
			old->file_offset = file_offset;
			return 0;
		}
		c.memory = old->memory;
		c.data = s->p;
	} else {
		c.memory = block_memory_new(blocks, BLOCK_BYTES);
		if (!c.memory)
			return err_nomem(err);
		c.data = c.memory->data;
	}
	if (block_add(blocks, c, &index) < 0) {
		if (!s->p)
			block_memory_drop(blocks, c.memory);
		return err_nomem(err);
	}
	if (s->p)
		block_unpin(blocks, s->block);
	else
		s->p = s->end = c.data;
	s->block = index;
	return 0;
}

/* Moves what is at hand to memory with room behind it. */
static int make_room(struct walk *w, struct sonde_error *err)
{
	struct blocks *blocks = &w->f->blocks;
	struct span *s = &w->unpack.span;
	struct block c = blocks->list.at[s->block];
	size_t have = at_hand(s);
	uint32_t index;

	if (block_is_alone(blocks, s->block) && have <= c.memory->cap / 2)
		return next_block(w, c.file_offset, err);
	c.memory = block_memory_new(blocks, have * 2);
	if (!c.memory)
		return err_nomem(err);
	memcpy(c.memory->data, s->p, have);
	c.data = c.memory->data;
	if (block_add(blocks, c, &index) < 0) {
		block_memory_drop(blocks, c.memory);
		return err_nomem(err);
	}
	block_unpin(blocks, s->block);
	s->block = index;
	c.memory->used = have;
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
	struct block_memory *b;
	size_t room;
	int r;

	while (at_hand(s) < need && u->waiting) {
		b = w->f->blocks.list.at[s->block].memory;
		if (b->used == b->cap) {
			if (make_room(w, err) < 0)
				return -SONDE_NOMEM;
			b = w->f->blocks.list.at[s->block].memory;
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
	r = next_block(w, w->file.at, err);
	u->io.in = b.p;
	u->io.nr_in = b.len;
	u->nr_in += b.len;
	u->waiting = r == 0 && b.len > 0;
	return r;
}

void walk_unpack_end(struct walk *w)
{
	if (w->unpack.span.p)
		block_unpin(&w->f->blocks, w->unpack.span.block);
	decoder_free(&w->unpack.decoder);
	w->unpack = (struct unpack){ 0 };
}
