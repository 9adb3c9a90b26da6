/* SPDX-License-Identifier: MIT */
/* branch_sums.h - the branches in stacks added up, of a profile with branch_history */
#ifndef ANALYZE_ROWS_BRANCH_SUMS_H
#define ANALYZE_ROWS_BRANCH_SUMS_H

#include "analyze/stacks/frames.h"

/* Each end of a branch counts, once for each sample. */
struct branch_sums {
	uint64_t ends, predicted, aborted;
	uint64_t cycles, iterations, iteration_cycles;
	bool is_target;              /* the end that was added last */
};

/* Adds the end of a branch that a frame of @samples stacks is; nothing if it is none. */
void branch_sums_add(struct branch_sums *sums, const struct frames *f, uint32_t frame, uint64_t samples);

#endif
