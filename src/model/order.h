/* SPDX-License-Identifier: MIT */
/*
 * order.h - events by time
 *
 * Recorders append what they find ring by ring, so a file is a row of runs that are sorted already. After a pass over all
 * rings they write a round mark (FINISHED_ROUND): everything older than the newest event of the round before has then been
 * written. So the window is at most two rounds; its runs are merged, not sorted anew. Where a new round can only be told from
 * its first record, that has the mark MARK_PASS. Without marks the window is all of the input, up to ORDER_MAX_REFS records or
 * ORDER_MAX_BYTES of them; then the older half goes out, and what comes too late for it is counted. When the records that stay
 * are scattered so that they keep half as much again in memory, all go out. A reader with a max_memory has smaller limits.
 *
 * Parts of a trace that can be walked by themselves (one file a CPU) each have a window; the windows are merged. A reader whose
 * input is sorted by another rule (one run for each CPU) walks by time itself; nothing is kept here then.
 */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include "model/reader.h"

#define ORDER_MAX_REFS ((size_t)2 << 20)
#define ORDER_MAX_BYTES ((uint64_t)256 << 20)

/* One walk and its window. */
struct lane {
	struct walk *walk;
	struct record_refs window;   /* what has not been handed out begins at `out` */
	struct record_refs scratch;  /* for merging */
	size_t out, ready;           /* [out, ready) can be handed out */
	size_t sorted;               /* those before this one are in order */
	uint64_t bytes;              /* of records in the window */
	uint64_t newest, newest_of_last_round;
	bool ended;
};

struct order {
	struct reader *reader;
	struct lane *lanes;
	size_t nr_lanes;
	struct lane **heap;          /* lanes that have something ready, the one with the oldest first */
	size_t nr_heap;
	struct lane *filling;        /* has nothing ready, and is to be read on; NULL if there is none */
	struct lane *unfilled;       /* this lane and those behind it have not been begun */
	size_t max_refs;             /* of a window */
	uint64_t max_bytes;          /* of its records; a window alone may keep half as much again in memory */
	uint64_t delivered;          /* time of the last one handed out */
	bool pinned;
	bool sorted;                 /* the walk is by time already */
	struct record_ref last;      /* handed out, still pinned */
};

int order_start(struct order *o, struct reader *r, struct sonde_error *err);

/* See walk_narrow() in reader.h: 0 or negative. */
int order_narrow(struct order *o, uint64_t min, uint64_t max, struct sonde_error *err);

/* The next reference by time: 1, 0 at the end, negative on failure. Valid until the next call. */
int order_next(struct order *o, struct record_ref *out, struct sonde_error *err);

/* Bytes of records that have been read so far. */
uint64_t order_passed(const struct order *o);

void order_end(struct order *o);

/* Sorts n references by time, equal ones in their order; scratch has room for n. Cost: n times the log of the number of runs. */
void order_merge_runs(struct record_ref *refs, struct record_ref *scratch, size_t n);

/* The same where the first `sorted` are in order already; of them only those move that are newer than the oldest of the others. */
void order_merge_tail(struct record_ref *refs, struct record_ref *scratch, size_t sorted, size_t n);

#endif
