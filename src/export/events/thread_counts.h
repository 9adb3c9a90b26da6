/* SPDX-License-Identifier: MIT */
/* thread_counts.h - what events have counted in each thread so far, by the counts that samples read: `{a,b}:S` */
#ifndef EXPORT_EVENTS_THREAD_COUNTS_H
#define EXPORT_EVENTS_THREAD_COUNTS_H

#include "analyze/profile/count_growth.h"
#include "export/events/event_rows.h"

/* An event has happened so often in a thread, on all CPUs together. */
struct thread_count {
	const struct event_row *row; /* of the sample that read it */
	const struct sonde_evsel *evsel;
	uint32_t number;             /* of this event in this thread, from 0 in the order of the first samples */
	bool is_first;               /* of this number */
	uint64_t sum;
};

/* Begins as {0}. */
struct thread_counts {
	struct count_growth growth;
	VEC(uint64_t) sums;          /* by number */
	struct u64map number_of;     /* mixed space, tid and event -> number */
};

/* @c: a view until the function returns. A result other than 0 ends the walk and is returned. */
typedef int (*thread_count_fn)(void *ctx, const struct thread_count *c);

/* Takes the counts of a row and calls @fn for each of them, if it has some. -SONDE_NOMEM, or the last result of @fn. */
int thread_counts_take(struct thread_counts *t, const struct event_row *row, thread_count_fn fn, void *ctx);

void thread_counts_free(struct thread_counts *t);

#endif
