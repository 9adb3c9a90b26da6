/* SPDX-License-Identifier: MIT */
/* sample_count.h - a sample is counted in its cell */
#ifndef ANALYZE_PROFILE_SAMPLE_COUNT_H
#define ANALYZE_PROFILE_SAMPLE_COUNT_H

#include "analyze/profile/gathering.h"

/*
 * Counts a sample, with its callchain in a profile that keeps them. For one thread at a time: while batches wait, for
 * theirs (sample_batch.h). 0 or -SONDE_NOMEM.
 */
int sample_count(struct gathering *p, const struct profile_sample *s, const struct u64s *chain);

/* The number of the cell of a sample without callchain, HASH_INDEX_NONE if it is left out. 0 or -SONDE_NOMEM. */
int sample_cell(struct gathering *p, const struct profile_sample *s, uint32_t *cell);

/* Counts a sample that is left out. 0 or -SONDE_NOMEM. */
int sample_leave_out(struct gathering *p, uint32_t event, uint64_t period, uint64_t latency);

/* The same with the branches of a sample as the innermost part of its stack. No batches wait. */
int sample_count_history(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
			 const struct branches *branches);

/* The same as sample_count() where the slot of cell_memo_slot() is known. */
int sample_count_in(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
		    struct cell_slot *slot);

/* Counts that an event is given when its trace ends; NULL when out of memory. */
struct late_counts *late_counts_of(struct gathering *p, uint32_t event);

#endif
