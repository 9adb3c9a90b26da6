/* SPDX-License-Identifier: MIT */
/*
 * track_counts.h - counts of events without samples of their own, which samples of another event read: `{a,b}:S`
 *
 * The counts of the event that sampled are the periods of its samples.
 */
#ifndef ANALYZE_TABLES_TRACK_COUNTS_H
#define ANALYZE_TABLES_TRACK_COUNTS_H

#include "base/strpool.h"
#include "base/vec.h"
#include "model/event.h"

enum { TRACK_COUNTS_MOST = 1000000 };

/* An event happened so often in a thread or on a CPU since its count was read before. */
struct track_count {
	uint64_t time, growth;
	uint32_t thread;             /* in sched.threads; UINT32_MAX: an idle CPU, or not known */
	int32_t cpu;
	uint32_t event;              /* its name, in the pool of texts */
};

/* Begins as {0}. */
struct track_counts {
	VEC(struct track_count) list;
	uint64_t nr;                 /* also of those that were not kept because there were too many */
};

/* Whether a sample is of such a count. */
static inline bool track_counts_concern(const struct sonde_event *ev)
{
	return event_of(ev)->read_by && event_of(ev)->read_by != ev->evsel;
}

/* Takes the growth of the count. @texts gets the names of events. 0 or -SONDE_NOMEM. */
int track_counts_take(struct track_counts *c, const struct sonde_event *ev, uint32_t thread, struct strpool *texts);

void track_counts_free(struct track_counts *c);

#endif
