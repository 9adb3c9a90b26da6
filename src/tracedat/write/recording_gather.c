/* SPDX-License-Identifier: MIT */
/*
 * Makes the extents of each CPU one
 *
 * The pages go to the end of the file, a block at a time, and what they leave becomes a hole: so a full disk has the
 * room. A block is in the table at its new place before it is taken off the old one: a recorder that is killed
 * between these two writes leaves that block in the file twice, and none is ever lost.
 */
#include "tracedat/write/recording_gather.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd_io.h"

#define BLOCK_BYTES (256u << 10)
#define ROOM_BYTES (1u << 20)        /* no sub-buffer is larger */

static int move_block(struct recording *r, uint8_t *room, uint64_t from, uint64_t to, size_t n)
{
	int sys_errno = 0;

	return fd_read_at(r->file.fd, room, n, from, &sys_errno) != n || fd_write_at(r->file.fd, room, n, to);
}

/* The block before the rest of an extent is in the new extent now. */
static int take_off(struct recording *r, struct recorded_extent *x, size_t n)
{
	uint64_t row[2] = { x->at + n, x->used - n };
	struct sonde_error err;

	if (x->entry_at && dat_recording_write(r, row, sizeof(row), x->entry_at + 4, &err) < 0)
		return 1;
	/* a hole that cannot be made only takes room */
	(void)!fallocate(r->file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)x->at, (off_t)n);
	x->at = row[0];
	x->used = row[1];
	return 0;
}

static int put_block(struct recording *r, struct buffer *b, size_t cpu, struct recorded_extent *to, size_t n)
{
	struct sonde_error err;
	int e = to->entry_at ? dat_recording_write_u64(r, to->used + n, to->entry_at + 12, &err) :
			       dat_recording_add_entry(r, b, cpu, to, n, &err);

	to->used += n;
	return e < 0;
}

/* Moves the pages of a CPU into a new extent, which comes first. */
static int gather_cpu(struct recording *r, struct buffer *b, size_t cpu, uint8_t *room)
{
	struct recorded_extents *l = &b->extents[cpu];
	struct recorded_extent new = { .at = ALIGN_UP(r->end + b->page_size, (uint64_t)ROOM_BYTES) };
	size_t block = b->page_size > BLOCK_BYTES ? b->page_size : BLOCK_BYTES;
	struct sonde_error err;

	for (size_t i = 0; i < l->of.n; i++)
		new.size += l->of.at[i].used;
	if (new.size == 0)
		return 0;
	if (b->nr_entries >= b->max_entries || ftruncate(r->file.fd, (off_t)(new.at + new.size)) < 0 ||
	    dat_recording_set_end(r, new.at + new.size, &err) < 0 || vec_push(&l->of, new) < 0)
		return 1;
	memmove(l->of.at + 1, l->of.at, (l->of.n - 1) * sizeof(*l->of.at));
	l->of.at[0] = new;
	for (size_t i = 1; i < l->of.n; i++)
		while (l->of.at[i].used) {
			struct recorded_extent *from = &l->of.at[i], *to = &l->of.at[0];
			size_t n = from->used < block ? (size_t)from->used : block;

			if (move_block(r, room, from->at, to->at + to->used, n) || put_block(r, b, cpu, to, n) ||
			    take_off(r, from, n))
				return 1;
		}
	l->of.n = 1;
	return 0;
}

int dat_recording_gather(struct recording *r)
{
	uint8_t *room = malloc(ROOM_BYTES);
	int e = !room;

	/* a disk that is full needs room for the first blocks: that for names has only zeros, which a hole has too */
	(void)!fallocate(r->file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)(r->names_at + 8 + r->names_bytes), (off_t)(r->names_max - r->names_bytes));

	for (size_t i = 0; i < r->nr_buffers; i++)
		for (size_t c = 0; e == 0 && c < r->buffers[i].nr_cpus; c++)
			e = gather_cpu(r, &r->buffers[i], c, room);
	free(room);
	return e;
}
