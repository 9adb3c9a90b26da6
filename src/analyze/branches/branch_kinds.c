/* SPDX-License-Identifier: MIT */
#include "analyze/branches/branch_kinds.h"

void branch_kinds_add(struct branch_kinds *k, const struct sonde_branch *b)
{
	uint32_t kind = branch_kind(b->flags);

	if (!kind || !b->from)
		return;
	k->branches[kind]++;
	if (kind == BRANCH_COND) {
		k->forward += b->to > b->from;
		k->backward += b->to <= b->from;
	}
	if (b->from >> 21 != b->to >> 21)
		k->other_2m++;
	else if (b->from >> 12 != b->to >> 12)
		k->other_4k++;
}

uint64_t branch_kinds_sum(const struct branch_kinds *k)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < BRANCH_KINDS; i++)
		sum += k->branches[i];
	return sum;
}
