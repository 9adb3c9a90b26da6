/* SPDX-License-Identifier: MIT */
/*
 * profile_sums.h - samples of a trace added up where they are found, and looked up later, not by time
 *
 * Most of the work of a profile by address is to put samples in order, so that each is looked up in the maps of its
 * moment. Samples of one task at one address nearly always have the same mapping there. So they are added up first
 * (order/sample_sums.h), while the other events come by time and tell the history of the maps
 * (threads/maps_history.h); then each sum is looked up once. If a mapping did change between the samples of a sum,
 * nothing is counted, and the trace is read again by time.
 */
#ifndef ANALYZE_PROFILE_PROFILE_SUMS_H
#define ANALYZE_PROFILE_PROFILE_SUMS_H

#include "analyze/profile/gathering.h"
#include "order/sample_sums.h"

struct profile_sums {
	struct sample_sums samples;
	struct maps_history maps;
	size_t nr_code_changes;      /* at the begin */
};

/* Before the first event. 0 or -SONDE_NOMEM. */
int profile_sums_begin(struct gathering *p, struct profile_sums *s, uint64_t max_memory);

/* In place of profile_event(). 0 or -SONDE_NOMEM. */
int profile_sums_event(struct gathering *p, struct profile_sums *s, const struct sonde_event *ev,
		       const struct meta *meta);

/* After the last event: 1: the samples have been counted, 0: the sums have given up; or -SONDE_NOMEM. */
int profile_sums_count(struct gathering *p, struct profile_sums *s);

void profile_sums_end(struct gathering *p, struct profile_sums *s);

#endif
