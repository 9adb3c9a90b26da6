/* SPDX-License-Identifier: MIT */
/*
 * branch_history.h - the branches of a sample as the innermost part of its call stack
 *
 * Each branch is two frames, and the newest branch is the innermost one. Trees show the target of a branch and then its
 * source, whichever end they begin at: the inner frame of a branch is its target, or with keeps_outermost its source.
 */
#ifndef ANALYZE_BRANCHES_BRANCH_HISTORY_H
#define ANALYZE_BRANCHES_BRANCH_HISTORY_H

#include "analyze/stacks/stacks.h"

/*
 * The stack @outer with the branches inside of it, at most max_frames of them; HASH_INDEX_NONE when out of memory.
 * @roots: of the task at its time
 */
uint32_t branch_history_push(struct stacks *s, struct frames *f, const struct task_roots *roots, uint32_t outer,
			     const struct branches *branches);

/*
 * How many innermost frames of a callchain the branches repeat: the interrupted instruction, to which they have led,
 * and callers whose calls are among them.
 */
uint64_t branch_history_overlap(const struct branches *branches, const struct u64s *chain);

#endif
