/* SPDX-License-Identifier: MIT */
/* branch_kinds.h - the numbers of branches by kind, by direction and by distance */
#ifndef ANALYZE_BRANCHES_BRANCH_KINDS_H
#define ANALYZE_BRANCHES_BRANCH_KINDS_H

#include "model/event.h"

/* Of branches whose kind was recorded (record -j any,save_type). */
struct branch_kinds {
	uint64_t branches[BRANCH_KINDS];     /* by branch_kind() */
	uint64_t forward, backward;          /* conditional branches */
	uint64_t other_4k, other_2m;         /* into another 4 KiB of the same 2 MiB, into other 2 MiB */
};

void branch_kinds_add(struct branch_kinds *k, const struct sonde_branch *b);

/* 0: no kind was recorded */
uint64_t branch_kinds_sum(const struct branch_kinds *k);

#endif
