/* SPDX-License-Identifier: MIT */
#include "analyze/rows/branch_sums.h"

void branch_sums_add(struct branch_sums *sums, const struct frames *f, uint32_t frame, uint64_t samples)
{
	uint32_t number = f->list.at[frame].branch;
	const struct branch_end *end = number ? &f->branch_ends.at[number - 1] : NULL;

	if (!end)
		return;
	sums->ends += samples;
	sums->predicted += end->predicted * samples;
	sums->aborted += end->aborted * samples;
	sums->cycles += end->cycles * samples;
	sums->iterations += end->iterations * samples;
	sums->iteration_cycles += end->iteration_cycles * samples;
	sums->is_target = end->is_target;
}
