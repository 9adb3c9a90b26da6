/* SPDX-License-Identifier: MIT */
/* walk_bytes.c - bytes for a walk: from memory as they are, from a file or a stream block by block. */
#include "perfdata/read/walk_bytes.h"

#include <errno.h>
#include <unistd.h>

#include "perfdata/read/walk_loss.h"

int walk_make_room(struct walk_bytes *b, struct block c, struct sonde_error *err)
{
	struct blocks *blocks = &b->walk->f->blocks;
	uint32_t old = b->block;
	size_t have = at_hand(&b->scan);

	c.memory = blocks->list.at[old].memory;
	if (block_is_alone(blocks, old) && have <= c.memory->cap / 2) {
		memmove(c.memory->data, b->scan.p, have);
		blocks->list.at[old].file_offset = c.file_offset;
		blocks->list.at[old].data = c.memory->data;
	} else {
		c.memory = block_memory_new(blocks, have * 2);
		if (!c.memory)
			return err_nomem(err);
		c.data = c.memory->data;
		memcpy(c.memory->data, b->scan.p, have);
		if (block_add(blocks, c, &b->block) < 0) {
			block_memory_drop(blocks, c.memory);
			return err_nomem(err);
		}
		block_unpin(blocks, old);
	}
	c.memory->used = have;
	b->scan.p = c.memory->data;
	b->scan.end = b->scan.p + have;
	return 0;
}

static int make_room(struct walk *w, struct sonde_error *err)
{
	return walk_make_room(&w->file, (struct block){ .file_offset = w->file.scan.at, .part = (uint16_t)w->part },
			      err);
}

static int64_t read_more(struct walk *w, uint8_t *to, size_t room, struct sonde_error *err)
{
	uint64_t at = w->file.scan.at + at_hand(&w->file.scan), limit = w->file.scan.limit;
	ssize_t n;

	if (!w->f->input.stream) {
		int64_t got = input_read(w->fd, at, to, room < limit - at ? room : limit - at, err);

		w->eof = got >= 0 && at + (uint64_t)got == limit;
		return got;
	}
	do
		n = read(w->fd, to, room);
	while (n < 0 && errno == EINTR);
	return n < 0 ? err_sys(err, errno, "cannot read") : n;
}

static void read_on(struct walk *w)
{
	const struct scan *s = &w->file.scan;

	read_ahead_begin(&w->ahead, &w->f->base, &w->f->blocks, w->fd, s->at + at_hand(s), s->limit);
}

/* Goes on in bytes that were read ahead: 1, 0 if there are none that follow those at hand, or negative. */
static int take_ahead(struct walk *w, struct sonde_error *err)
{
	struct walk_bytes *b = &w->file;
	struct blocks *blocks = &w->f->blocks;
	size_t have = at_hand(&b->scan);
	struct block c = { .file_offset = b->scan.at, .part = (uint16_t)w->part };
	uint32_t old = b->block;

	if (have > READ_AHEAD_ROOM)
		read_ahead_drop(&w->ahead, &w->f->base, blocks);
	c.memory = read_ahead_take(&w->ahead, &w->f->base, blocks, b->scan.at + have);
	if (!c.memory)
		return 0;
	c.data = c.memory->data + READ_AHEAD_ROOM - have;
	memcpy(c.memory->data + READ_AHEAD_ROOM - have, b->scan.p, have);
	if (block_add(blocks, c, &b->block) < 0) {
		block_memory_drop(blocks, c.memory);
		return err_nomem(err);
	}
	block_unpin(blocks, old);
	b->scan.p = c.data;
	b->scan.end = c.memory->data + c.memory->used;
	w->eof = b->scan.at + at_hand(&b->scan) == b->scan.limit;
	read_on(w);
	return 1;
}

/* A length in the file is not allocated at once: room grows with the bytes that really come. */
static int fill(struct scan *s, uint64_t need, struct sonde_error *err)
{
	struct walk_bytes *bytes = (struct walk_bytes *)s;
	struct walk *w = bytes->walk;
	struct blocks *blocks = &w->f->blocks;
	struct block_memory *b;
	int64_t n;

	while (at_hand(s) < need && !w->eof) {
		n = take_ahead(w, err);
		if (n < 0)
			return (int)n;
		if (n > 0)
			continue;
		b = blocks->list.at[bytes->block].memory;
		if (b->used == b->cap ||
		    (at_hand(s) == 0 && (block_is_alone(blocks, bytes->block) || b->used > b->cap / 2))) {
			if (make_room(w, err) < 0)
				return -SONDE_NOMEM;
			b = blocks->list.at[bytes->block].memory;
		}
		n = read_more(w, b->data + b->used, b->cap - b->used, err);
		if (n < 0)
			return (int)n;
		if (n == 0 && !w->eof) {
			if (!w->f->input.stream)
				walk_lose(w, s->at, SONDE_LOSS_TRUNCATED, s->limit - s->at - at_hand(s),
					  "{byte|bytes} of records went away: the file became shorter while it was "
					  "read");
			w->eof = true;
		}
		b->used += (size_t)n;
		s->end += n;
		if (b->used == b->cap && !w->f->input.stream && s->at > w->began)  /* a look at the begin needs one */
			read_on(w);
	}
	return at_hand(s) >= need;
}

static bool peek(struct scan *s, uint64_t at, void *to, size_t n)
{
	const struct walk *w = ((struct walk_bytes *)s)->walk;
	struct sonde_error err;

	if (at - s->at + n <= at_hand(s))
		memcpy(to, s->p + (at - s->at), n);
	else if (w->fd < 0 || input_read(w->fd, at, to, n, &err) != (int64_t)n)
		return false;
	return true;
}

int walk_begin(struct walk *w, struct sonde_error *err)
{
	struct perfdata *f = w->f;
	struct part part = { NULL, f->input.fd, f->base.info.data_offset,
			     f->base.info.data_offset + f->base.info.data_size };
	struct block c = { .part = (uint16_t)w->part };
	struct scan *s = &w->file.scan;
	uint64_t begin;

	read_ahead_drop(&w->ahead, &f->base, &f->blocks);
	if (f->parts.n)
		part = f->parts.at[w->part];
	begin = part.begin;
	c.file_offset = begin;
	w->fd = part.fd;
	w->began = begin;
	w->file.walk = w;
	*s = (struct scan){
		.at = begin,
		.limit = f->input.stream ? SONDE_NONE : part.end,
		.evlist = &f->evlist,
		.swap = f->header.swap,
		.live = f->input.stream,
		.fill = fill,
		.peek = f->input.stream ? NULL : peek,
	};
	w->eof = begin == s->limit;
	if (w->fd < 0) {
		c.data = f->input.map.data + begin;
		s->end = c.data + f->base.info.data_size;
		w->eof = true;
	} else {
		c.memory = block_memory_new(&f->blocks, 0);
		if (!c.memory)
			return err_nomem(err);
		c.data = c.memory->data;
		s->end = c.data;
	}
	s->p = c.data;
	if (block_add(&f->blocks, c, &w->file.block) < 0) {
		if (c.memory)
			block_memory_drop(&f->blocks, c.memory);
		return err_nomem(err);
	}
	return 0;
}

int64_t walk_skip(struct walk *w, uint64_t n, struct sonde_error *err)
{
	struct scan *s = &w->file.scan;
	uint64_t left = n, step;
	int r;

	while (left) {
		step = at_hand(s) < left ? at_hand(s) : left;
		scan_pass(s, step);
		left -= step;
		if (left && w->fd >= 0 && !w->f->input.stream) {  /* a file need not be read to be passed over */
			step = left < s->limit - s->at ? left : s->limit - s->at;
			s->at += step;
			w->eof = s->at == s->limit;
			left -= step;
			if (make_room(w, err) < 0)  /* what comes next does not follow what is in the block */
				return -SONDE_NOMEM;
			break;
		}
		if (left == 0)
			break;
		r = scan_fill(s, 1, err);
		if (r < 0)
			return r;
		if (r == 0)
			break;
	}
	return (int64_t)(n - left);
}
