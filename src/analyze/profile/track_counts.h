/* SPDX-License-Identifier: MIT */
/*
 * track_counts.h - counts of events without samples of their own, which samples of another event read: `{a,b}:S`
 *
 * The counts of the event that sampled are the periods of its samples.
 */
#ifndef ANALYZE_PROFILE_TRACK_COUNTS_H
#define ANALYZE_PROFILE_TRACK_COUNTS_H

#include "analyze/profile/count_growth.h"
#include "base/strpool.h"

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
	struct count_growth growth;
	struct u64map evsel_of_id;   /* of the trace at hand */
	size_t nr_ids;               /* in it */
};

/* Whether samples of an event carry such counts. */
bool track_counts_expect(const struct sonde_evsel *evsel);

/* Takes the counts of a sample. @texts gets the names of events. 0 or -SONDE_NOMEM. */
int track_counts_take(struct track_counts *c, const struct sonde_event *ev, const struct read_counts *read,
		      uint32_t thread, struct strpool *texts);

/* A trace ends: ids mean nothing any more. */
void track_counts_end_trace(struct track_counts *c);

void track_counts_free(struct track_counts *c);

#endif
