/* SPDX-License-Identifier: MIT */
/*
 * order.h - events by time
 *
 * Recorders append what they find ring by ring, so a file is a row of runs that are sorted already. After a pass over
 * all rings they write a round mark (FINISHED_ROUND): everything older than the newest event of the round before has
 * then been written. So the window is at most two rounds; its runs are merged, not sorted anew. Where a new round can
 * only be told from its first record, that has the mark MARK_PASS. Without marks the window is all of the input, up to
 * ORDER_MAX_REFS records or ORDER_MAX_BYTES of them; then the older half goes out, and what comes too late for it is
 * counted. When the records that stay are scattered so that they keep half as much again in memory, all go out. A
 * reader with a max_memory has smaller limits. Within these limits, another thread looks for the next round while one
 * is handed out (window.h).
 *
 * Parts of a trace that can be walked by themselves (one file a CPU) each have a window; the windows are merged. A
 * reader whose input is sorted by another rule (one run for each CPU) walks by time itself; nothing is kept here then.
 */
#ifndef ORDER_ORDER_H
#define ORDER_ORDER_H

#include "order/window.h"

#define ORDER_MAX_REFS ((size_t)2 << 20)         /* of all windows together, and of their records */
#define ORDER_MAX_BYTES ((uint64_t)256 << 20)
#define ORDER_RUN 32                             /* references that are handed out at once */

struct order {
	struct reader *reader;
	struct window *windows;
	size_t nr_windows;
	struct window **heap;        /* those that have something ready, the one with the oldest first */
	size_t nr_heap;
	struct window *filling;      /* has nothing ready, and is to be read on; NULL if there is none */
	struct window *unfilled;     /* this one and those after it have not been begun */
	uint64_t delivered;          /* time of the last one handed out */
	bool sorted;                 /* the walk is by time already */
	struct record_ref one;       /* handed out last, if it was not in a window */
	const struct record_ref *run;   /* handed out last, still pinned: in the window that was the first */
	size_t nr_run;
};

int order_start(struct order *o, struct reader *r, struct sonde_error *err);

/* See walk_narrow() in reader.h: 0 or negative. */
int order_narrow(struct order *o, uint64_t min, uint64_t max, struct sonde_error *err);

/* The next reference by time: 1, 0 at the end, negative on failure. Valid until the next call. */
int order_next(struct order *o, struct record_ref *out, struct sonde_error *err);

/* As order_next() for the next ones, at most ORDER_RUN: their number, and where they lie until the next call. */
int order_next_run(struct order *o, size_t most, const struct record_ref **run, struct sonde_error *err);

/* Bytes of records that have been read so far. */
uint64_t order_passed(const struct order *o);

void order_end(struct order *o);

#endif
