/* SPDX-License-Identifier: MIT */
/* registers.h - the registers of a frame by their DWARF numbers, as far as they are known */
#ifndef UNWIND_REGISTERS_H
#define UNWIND_REGISTERS_H

#include "model/event.h"
#include "unwind/cpu.h"

struct unwind_registers {
	uint64_t pc;
	uint64_t at[UNWIND_REGS];
	bool known[UNWIND_REGS];
};

/*
 * The registers of a sample; false if the program counter or the stack pointer is not among them. @in_kernel: the
 * sample was taken there.
 */
bool unwind_registers_read(struct unwind_registers *r, const struct unwind_cpu *cpu, const struct regs *regs,
			   bool in_kernel);

static inline bool unwind_register_get(const struct unwind_registers *r, uint64_t reg, uint64_t *out)
{
	if (reg >= UNWIND_REGS || !r->known[reg])
		return false;
	*out = r->at[reg];
	return true;
}

static inline void unwind_register_set(struct unwind_registers *r, uint64_t reg, uint64_t value)
{
	r->at[reg] = value;
	r->known[reg] = true;
}

#endif
