/* SPDX-License-Identifier: MIT */
/*
 * counting.h - the choice between the four ways in which samples are counted
 *
 * All give the same cells; they differ in what they look at. A way that looks at less is faster, and does for fewer
 * questions. Who asks for stacks, times or fields of samples rules out the ways that do not see them.
 *
 *	a trace
 *	  |
 *	  +-- address, mode and process decide --> SUMS (profile_sums.c): added up where the walk finds them, each sum
 *	  |   |                                    looked up once, at the end; only other events come by time
 *	  |   +-- a mapping changed within a sum, or there are too many: nothing is counted, and the trace is read again
 *	  v
 *	samples by time, with the state of tasks at that moment
 *	  |
 *	  +-- task, address and callchain decide --> HEADS (profile_heads.c): few fields of many samples at once
 *	  |                                                  |
 *	  +-- more of a sample is asked for ------> EVENTS (profile_samples.c): one by one, with all fields
 *	                                                     |
 *	  of both: a copied stack is to be unwound, or samples before it still wait?
 *	  |                                                  |
 *	  +-- yes --> BATCHES (sample_batch.c): other threads unwind and count, in the order of the samples
 *	  +-- no ---> sample_count.c, at once
 *
 * The choice for a trace is made when it begins. That between heads and events is made again for every run of samples,
 * because a stream tells its events as it goes; never does a profile go back to sums.
 */
#ifndef ANALYZE_PROFILE_COUNTING_H
#define ANALYZE_PROFILE_COUNTING_H

#include "analyze/profile/gathering.h"

enum counting { COUNT_BY_EVENTS, COUNT_BY_HEADS, COUNT_BY_SUMS };

/* The way for the samples of the trace at hand from now on. @walks_again: it has begun, and can be read twice. */
enum counting counting_choose(const struct gathering *p, bool walks_again);

/* Whether the next samples can come by their heads, of a trace whose way is COUNT_BY_HEADS: it may have changed. */
bool counting_takes_heads(const struct gathering *p);

/* Whether a sample goes to a batch. @copied: it has a copied stack to unwind */
static inline bool counting_waits(const struct gathering *p, bool copied)
{
	return copied || sample_batches_wait(&p->batches);
}

#endif
