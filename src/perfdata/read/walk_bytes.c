/* SPDX-License-Identifier: MIT */
/* walk_bytes.c - bytes for a walk: from memory as they are, from a file or a stream block by block. */
#include "perfdata/read/walk_bytes.h"

#include <errno.h>
#include <unistd.h>

#include "perfdata/read/walk_loss.h"

int walk_begin(struct walk *w, struct sonde_error *err)
{
	struct perfdata *f = w->f;
	struct part part = { NULL, f->input.fd, f->base.info.data_offset, f->base.info.data_offset + f->base.info.data_size };
	struct block c = { .part = (uint16_t)w->part };
	struct span *s = &w->file;
	uint64_t begin;

	if (f->parts.n)
		part = f->parts.at[w->part];
	begin = part.begin;
	c.file_offset = begin;
	w->fd = part.fd;
	w->began = begin;
	w->end = f->input.stream ? SONDE_NONE : part.end;
	w->eof = begin == w->end;
	if (w->fd < 0) {
		c.data = f->input.map.data + begin;
		s->end = c.data + f->base.info.data_size;
		w->eof = true;
	} else {
		c.memory = block_memory_new(&f->blocks, BLOCK_BYTES);
		if (!c.memory)
			return err_nomem(err);
		c.data = c.memory->data;
		s->end = c.data;
	}
	s->p = c.data;
	s->at = begin;
	if (block_add(&f->blocks, c, &s->block) < 0) {
		if (c.memory)
			block_memory_drop(&f->blocks, c.memory);
		return err_nomem(err);
	}
	return 0;
}

/* Moves what is at hand to the start of its memory, the same if nobody else looks into it, so that more can follow. */
static int make_room(struct walk *w, struct sonde_error *err)
{
	struct perfdata *f = w->f;
	struct span *s = &w->file;
	struct block c = { .file_offset = s->at, .part = (uint16_t)w->part };
	size_t have = at_hand(s);
	uint32_t old = s->block;

	c.memory = f->blocks.list.at[old].memory;
	if (block_is_alone(&f->blocks, old) && have <= c.memory->cap / 2) {
		memmove(c.memory->data, s->p, have);
		f->blocks.list.at[old].file_offset = s->at;
		f->blocks.list.at[old].data = c.memory->data;
	} else {
		c.memory = block_memory_new(&f->blocks, have * 2);
		if (!c.memory)
			return err_nomem(err);
		c.data = c.memory->data;
		memcpy(c.memory->data, s->p, have);
		if (block_add(&f->blocks, c, &s->block) < 0) {
			block_memory_drop(&f->blocks, c.memory);
			return err_nomem(err);
		}
		block_unpin(&f->blocks, old);
	}
	c.memory->used = have;
	s->p = c.memory->data;
	s->end = s->p + have;
	return 0;
}

static int64_t read_more(struct walk *w, uint8_t *to, size_t room, struct sonde_error *err)
{
	uint64_t at = w->file.at + at_hand(&w->file);
	ssize_t n;

	if (!w->f->input.stream) {
		int64_t got = input_read(w->fd, at, to, room < w->end - at ? room : w->end - at, err);

		w->eof = got >= 0 && at + (uint64_t)got == w->end;
		return got;
	}
	do
		n = read(w->fd, to, room);
	while (n < 0 && errno == EINTR);
	return n < 0 ? err_sys(err, errno, "cannot read") : n;
}

/* What a length in the file promises is not allocated at once: room grows with the bytes that really come. */
int walk_read(struct walk *w, uint64_t need, struct sonde_error *err)
{
	struct blocks *blocks = &w->f->blocks;
	struct span *s = &w->file;
	struct block_memory *b;
	int64_t n;

	while (at_hand(s) < need && !w->eof) {
		b = blocks->list.at[s->block].memory;
		if (b->used == b->cap || (at_hand(s) == 0 && (block_is_alone(blocks, s->block) || b->used > b->cap / 2))) {
			if (make_room(w, err) < 0)
				return -SONDE_NOMEM;
			b = blocks->list.at[s->block].memory;
		}
		n = read_more(w, b->data + b->used, b->cap - b->used, err);
		if (n < 0)
			return (int)n;
		if (n == 0 && !w->eof) {
			if (!w->f->input.stream)
				walk_lose(w, s->at, SONDE_LOSS_TRUNCATED, w->end - s->at - at_hand(s),
					  "bytes of records went away: the file became shorter while it was read");
			w->eof = true;
		}
		b->used += (size_t)n;
		s->end += n;
	}
	return at_hand(s) >= need;
}

int64_t walk_skip(struct walk *w, uint64_t n, struct sonde_error *err)
{
	struct span *s = &w->file;
	uint64_t left = n, step;
	int r;

	while (left) {
		step = at_hand(s) < left ? at_hand(s) : left;
		pass(s, step);
		left -= step;
		if (left && w->fd >= 0 && !w->f->input.stream) {  /* a file need not be read to be passed over */
			step = left < w->end - s->at ? left : w->end - s->at;
			s->at += step;
			w->eof = s->at == w->end;
			left -= step;
			if (make_room(w, err) < 0)  /* what comes next does not follow what is in memory */
				return -SONDE_NOMEM;
			break;
		}
		if (left == 0)
			break;
		r = walk_read(w, 1, err);
		if (r < 0)
			return r;
		if (r == 0)
			break;
	}
	return (int64_t)(n - left);
}
