/* SPDX-License-Identifier: MIT */
/* ring.h - the memory through which the kernel passes records to us */
#ifndef RECORD_PERF_RING_H
#define RECORD_PERF_RING_H

#include "record/perf/write_queue.h"

#include <stdbool.h>

struct ring {
	void *map;                   /* control page, then the data; NULL: not mapped */
	size_t bytes;                /* of data, a power of two */
	int fd;                      /* of the event that owns it */
	bool backward;               /* the kernel writes from its end to its start, over the oldest records */
	uint64_t dumped;             /* of a backward ring: where it was written to at the last ring_dump() */
};

/* 0, or a negative errno */
int ring_map(struct ring *r, int fd, size_t bytes, bool backward);

/* Moves all waiting records to the queue; bytes moved, or negative when writing has failed. */
ssize_t ring_drain(struct ring *r, struct write_queue *queue);

/* Drops all waiting records. Were there any? */
bool ring_skip(struct ring *r);

/* Copies the records of a backward ring that came since the last call, the oldest first; bytes, or negative. */
ssize_t ring_dump(struct ring *r, struct write_queue *queue);
void ring_unmap(struct ring *r);

#endif
