/* SPDX-License-Identifier: MIT */
/*
 * aux_area.h - the memory through which a hardware trace comes: the AUX area of a ring
 *
 * A full trace stops when the area is full. In a snapshot area the hardware goes over the oldest bytes, and the area is
 * copied on demand. File form: AUXTRACE, a header of 48 bytes before the bytes of the trace.
 */
#ifndef RECORD_PERF_AUX_AREA_H
#define RECORD_PERF_AUX_AREA_H

#include "record/perf/ring.h"

struct aux_area {
	void *map;                   /* NULL: none */
	size_t bytes;                /* a power of two */
	bool snapshot;
	uint32_t record_bytes;       /* what is less than one at the end of the area is no trace; 0: all is */
	bool stays_on;               /* nobody turns the event off but an area that is full */
	uint64_t stream_at;          /* of a snapshot area: bytes of the snapshots so far */
	uint32_t ring;               /* number of the ring, as in ID_INDEX */
	int32_t cpu, tid;            /* -1: any */
};

/* 0, or a negative errno. The other fields of @a are set. */
int aux_area_map(struct aux_area *a, const struct ring *r);

/* Moves the new part of the trace to the queue and lets the hardware go on; bytes moved, or negative. */
ssize_t aux_area_drain(const struct aux_area *a, const struct ring *r, struct write_queue *queue);

/* Copies the whole area, the oldest bytes first; the trace pauses meanwhile. Bytes, or negative. */
ssize_t aux_area_dump(struct aux_area *a, const struct ring *r, struct write_queue *queue);

void aux_area_unmap(struct aux_area *a);

#endif
