/* SPDX-License-Identifier: MIT */
/* ring.h - the memory through which the kernel passes records to us */
#ifndef RECORD_PERF_RING_H
#define RECORD_PERF_RING_H

#include "record/perf/write_queue.h"

struct ring {
	void *map;                   /* control page, then the data; NULL: not mapped */
	size_t bytes;                /* of data, a power of two */
	int fd;                      /* of the event that owns it */
};

/* 0, or a negative errno */
int ring_map(struct ring *r, int fd, size_t bytes);

/* Moves all waiting records to the queue; bytes moved, or negative when writing has failed. */
ssize_t ring_drain(struct ring *r, struct write_queue *queue);
void ring_unmap(struct ring *r);

#endif
