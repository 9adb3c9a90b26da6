/* SPDX-License-Identifier: MIT */
#include "unwind/registers.h"

bool unwind_registers_read(struct unwind_registers *r, const struct unwind_cpu *cpu, const struct regs *regs,
			   bool in_kernel)
{
	uint64_t mask = regs->mask, at = 0, word_mask = cpu->word == 4 ? UINT32_MAX : UINT64_MAX;
	bool has_pc = false;

	*r = (struct unwind_registers){ 0 };
	for (; mask && at < regs->values.nr; mask &= mask - 1, at++) {
		unsigned bit = (unsigned)__builtin_ctzll(mask);
		uint64_t value = u64s_at(&regs->values, at) & word_mask;
		uint8_t reg = bit < cpu->nr_perf ? cpu->perf_to_dwarf[bit] : CPU_NO_REG;

		if (bit == cpu->perf_pc) {
			r->pc = value;
			has_pc = true;
		}
		if (reg == CPU_NO_REG)
			continue;
		if (in_kernel && cpu->unsaved_in_kernel >> reg & 1 && value == word_mask)
			continue;
		unwind_register_set(r, reg, value);
	}
	return has_pc && r->known[cpu->sp];
}
