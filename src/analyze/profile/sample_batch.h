/* SPDX-License-Identifier: MIT */
/*
 * sample_batch.h - samples with copied stacks become counts in a profile's cells, in batches
 *
 * The state of tasks is looked at when a sample comes: its task, and the roots of its address spaces, which do not
 * change. Callchains, symbols, stacks and cells depend on nothing that comes later, so other threads work on batches
 * while the next samples are read: several of them decode records and unwind copied stacks, one at a time counts.
 * Batches are counted in their order: the numbers of frames, stacks and cells are the same for any number of threads.
 * The number of batches is fixed, and so is the memory.
 */
#ifndef ANALYZE_PROFILE_SAMPLE_BATCH_H
#define ANALYZE_PROFILE_SAMPLE_BATCH_H

#include "analyze/profile/cell_memo.h"
#include "base/crew.h"
#include "model/reader.h"
#include "resolve/chain.h"
#include "resolve/moment.h"

struct gathering;

/* One is being filled; the others are worked on or wait for it. */
#define NR_SAMPLE_BATCHES(members) (2 * (members) + 2)

struct sample_batches {
	unsigned threads;            /* that may be used, the gathering one included; 0 as 1 */
	struct sample_batch *batches[NR_SAMPLE_BATCHES(CREW_MOST)];  /* made when they are needed */
	struct crew *crew;           /* NULL: there have been few samples */
	uint32_t nr, filling;        /* nr: of batches that are used in turn; 0: one */
	uint32_t nr_filled;          /* batches, at any time */
	const struct reader *reader; /* of samples that come as records */
	struct chain_finder finders[CREW_MOST];
};

/* The batch that has the roots of a known task, and their number there. */
struct batched_roots {
	uint32_t batch;              /* 0: none */
	uint32_t number;
};

/*
 * Whether samples wait in batches: later ones have to wait behind them, so that all are counted in the order in which
 * they came.
 */
static inline bool sample_batches_wait(const struct sample_batches *g)
{
	return g->batches[g->filling];
}

/*
 * Takes a sample of a profile with callchains; what belongs to it is copied. @stack: or NULL. 0 or -SONDE_NOMEM, also
 * because of an earlier one.
 */
int sample_batch_add(struct gathering *p, const struct profile_sample *s, const struct u64s *chain,
		     const struct copied_stack *stack);

/* Takes a sample of the event @event as its record, which is copied: what is in it is looked at by other threads. */
int sample_batch_add_record(struct gathering *p, const struct reader *r, const struct sample_head *head,
			    uint32_t event, const struct moment_task *task);

/* Counts the samples that are left, and ends the threads. 0 or -SONDE_NOMEM. */
int sample_batches_end(struct gathering *p);

#endif
