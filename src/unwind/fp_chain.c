/* SPDX-License-Identifier: MIT */
#include "unwind/fp_chain.h"

#define CONTEXT_USER ((uint64_t)-512)  /* PERF_CONTEXT_USER */

uint64_t fp_chain_find(const struct unwind_cpu *cpu, struct unwind_memory *m, const struct u64s *chain, uint64_t first,
		       uint64_t record)
{
	uint64_t i = 0, at = first, pc, next;

	while (i < chain->nr && u64s_at(chain, i) != CONTEXT_USER)
		i++;
	/* after the mark is the interrupted address, which has no record */
	for (i += 2; i < chain->nr && at <= record; i++, at = next) {
		if (at == record)
			return i;
		if (!unwind_memory_read(m, at + (uint64_t)(int64_t)cpu->record_return, cpu->word, &pc) ||
		    !unwind_memory_read(m, at + (uint64_t)(int64_t)cpu->record_fp, cpu->word, &next) || next <= at ||
		    ((pc ^ u64s_at(chain, i)) & cpu->address_mask))
			return 0;
	}
	return 0;
}
