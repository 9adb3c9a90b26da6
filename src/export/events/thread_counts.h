/* SPDX-License-Identifier: MIT */
/* thread_counts.h - what events have counted in each thread so far, by the counts that samples read: `{a,b}:S` */
#ifndef EXPORT_EVENTS_THREAD_COUNTS_H
#define EXPORT_EVENTS_THREAD_COUNTS_H

#include "export/events/event_rows.h"

/* An event has happened so often in a thread, on all CPUs together. */
struct thread_count {
	const struct event_row *row; /* the sample of the count; its event is what was counted */
	uint32_t number;             /* of this event in this thread, from 0 in the order of the first samples */
	bool is_first;               /* of this number */
	uint64_t sum;
};

/* Begins as {0}. */
struct thread_counts {
	VEC(uint64_t) sums;          /* by number */
	struct u64map number_of;     /* mixed space, tid and event -> number */
};

/* Takes the growth of the count that a row is of: 1, 0 if it is of none, -SONDE_NOMEM. */
int thread_counts_take(struct thread_counts *t, const struct event_row *row, struct thread_count *out);

void thread_counts_free(struct thread_counts *t);

#endif
