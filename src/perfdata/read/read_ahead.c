/* SPDX-License-Identifier: MIT */
#include "perfdata/read/read_ahead.h"

#include "io/input.h"

static void read_next(struct job *j)
{
	struct read_ahead *a = (struct read_ahead *)j;

	a->got = input_read(a->fd, a->at, a->memory->data + READ_AHEAD_ROOM, a->size, NULL);
}

void read_ahead_begin(struct read_ahead *a, struct reader *r, struct blocks *blocks, int fd, uint64_t at,
		      uint64_t limit)
{
	uint64_t left = limit - at;

	if (a->memory || !left || r->max_memory || !reader_worker(r))
		return;
	a->memory = block_memory_new(blocks, 0);
	if (!a->memory)
		return;
	a->fd = fd;
	a->at = at;
	a->size = a->memory->cap - READ_AHEAD_ROOM;
	if (a->size > left)
		a->size = (size_t)left;
	a->job.run = read_next;
	worker_give(r->worker, &a->job);
}

struct block_memory *read_ahead_take(struct read_ahead *a, struct reader *r, struct blocks *blocks, uint64_t at)
{
	struct block_memory *memory = a->memory;

	if (!memory)
		return NULL;
	worker_wait(r->worker, &a->job);
	if (a->at != at || a->got <= 0) {
		read_ahead_drop(a, r, blocks);
		return NULL;
	}
	a->memory = NULL;
	memory->used = READ_AHEAD_ROOM + (size_t)a->got;
	return memory;
}

void read_ahead_drop(struct read_ahead *a, struct reader *r, struct blocks *blocks)
{
	if (!a->memory)
		return;
	worker_wait(r->worker, &a->job);
	block_memory_drop(blocks, a->memory);
	a->memory = NULL;
}
