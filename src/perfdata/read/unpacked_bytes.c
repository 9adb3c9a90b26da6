/* SPDX-License-Identifier: MIT */
/*
 * unpacked_bytes.c - the bytes out of the compressed records of a walk: a block for each compressed record, in memory
 * that they share
 */
#include "perfdata/read/unpacked_bytes.h"

#include "perfdata/read/walk_loss.h"

/* The next output belongs to another record: a block of its own, which begins with the rest of the last one. */
static int next_block(struct walk *w, uint64_t file_offset, struct sonde_error *err)
{
	struct blocks *blocks = &w->f->blocks;
	struct walk_bytes *b = &w->unpacked;
	struct scan *s = &b->scan;
	struct block c = { .file_offset = file_offset, .part = (uint16_t)w->part, .unpacked = true }, *old;
	uint32_t index;

	if (s->p) {
		old = &blocks->list.at[b->block];
		if (block_is_alone(blocks, b->block) && at_hand(s) <= old->memory->cap / 2)
			return walk_make_room(b, c, err);
		c.memory = old->memory;
		c.data = s->p;
	} else {
		c.memory = block_memory_new(blocks, 0);
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
		block_unpin(blocks, b->block);
	else
		s->p = s->end = c.data;
	b->block = index;
	return 0;
}

static int make_room(struct walk_bytes *b, struct sonde_error *err)
{
	struct block c = b->walk->f->blocks.list.at[b->block];

	return walk_make_room(b, c, err);
}

static int fill(struct scan *s, uint64_t need, struct sonde_error *err)
{
	struct walk_bytes *bytes = (struct walk_bytes *)s;
	struct walk *w = bytes->walk;
	struct scanned damage;
	struct block_memory *b;
	size_t n;
	int r;

	while (at_hand(s) < need && w->unpacker.waiting) {
		b = w->f->blocks.list.at[bytes->block].memory;
		if (b->used == b->cap) {
			if (make_room(bytes, err) < 0)
				return -SONDE_NOMEM;
			b = w->f->blocks.list.at[bytes->block].memory;
		}
		n = b->cap - b->used;
		r = unpacker_step(&w->unpacker, b->data + b->used, &n, &damage, err);
		if (r < 0)
			return r;
		b->used += n;
		s->end += n;
		if (r == 0)
			walk_lose_damage(bytes, &damage);
	}
	return at_hand(s) >= need;
}

int walk_take_compressed(struct walk *w, struct scanned *r, struct sonde_error *err)
{
	struct scan *s = &w->unpacked.scan;
	int taken = unpacker_take(&w->unpacker, &w->f->base.meta, w->f->header.swap, r, err);

	if (taken == 0)
		walk_lose_damage(&w->file, r);
	if (taken <= 0)
		return taken;
	if (!s->p) {
		w->unpacked.walk = w;
		*s = (struct scan){
			.limit = SONDE_NONE, .evlist = &w->f->evlist, .swap = w->f->header.swap, .unpacked = true,
			.fill = fill,
		};
	}
	return next_block(w, r->at, err);
}

void walk_unpack_end(struct walk *w)
{
	if (w->unpacked.scan.p)
		block_unpin(&w->f->blocks, w->unpacked.block);
	unpacker_free(&w->unpacker);
	w->unpacked = (struct walk_bytes){ .block = 0 };
}
