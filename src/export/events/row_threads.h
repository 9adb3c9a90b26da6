/* SPDX-License-Identifier: MIT */
/* row_threads.h - numbers of the threads of rows: each thread once for each name that it has */
#ifndef EXPORT_EVENTS_ROW_THREADS_H
#define EXPORT_EVENTS_ROW_THREADS_H

#include "export/events/event_rows.h"

struct row_thread {
	uint32_t space;              /* of its numbers, see event_row */
	int32_t machine, pid, tid;   /* pid, tid: -1: not known */
	const char *comm;            /* NULL: not known; equal names are one pointer */
	uint64_t first, last;        /* times of its rows; SONDE_NONE: none had one */
};

/* {0} knows none. Numbers begin with 1. */
struct row_threads {
	VEC(struct row_thread) list;     /* number - 1 */
	struct hash_index index;
	struct u64map by_tid;            /* space << 32 | tid -> the number of the newest name */
	uint32_t recent;             /* that was asked for last */
};

/* The number of the thread of a row, 0 if the row has none; UINT32_MAX when out of memory. */
uint32_t row_threads_of(struct row_threads *t, const struct event_row *row);

/*
 * The number of a thread on the machine of a row, by its newest name. One of which no row has been is made, with this
 * name, which lives as long as the threads; "" if it is not known. UINT32_MAX when out of memory.
 */
uint32_t row_threads_task(struct row_threads *t, const struct event_row *row, int32_t tid, const char *comm);

void row_threads_free(struct row_threads *t);

#endif
