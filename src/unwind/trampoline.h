/* SPDX-License-Identifier: MIT */
/*
 * trampoline.h - the code to which a signal handler returns, and the registers that the kernel saved below it
 *
 * Only some architectures describe it by CFI: it is known by its instructions.
 */
#ifndef UNWIND_TRAMPOLINE_H
#define UNWIND_TRAMPOLINE_H

#include "unwind/cpu.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

struct trampoline;

/*
 * The trampoline whose first instruction is at @pc; NULL if there is none, or if @has_rule: the address has CFI, and
 * CFI is better than these layouts on this architecture.
 */
const struct trampoline *trampoline_at(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t pc,
				       bool has_rule);

/*
 * The vdso calls nothing, so a return address in it is that of a trampoline: the one whose saved registers make sense,
 * for a vdso whose code is not at hand. NULL if there is none.
 */
const struct trampoline *trampoline_by_registers(const struct unwind_cpu *cpu, struct unwind_memory *m,
						 const struct unwind_registers *regs);

/* The registers of the function that the signal interrupted; false if they cannot be read. */
bool trampoline_unwind(const struct trampoline *t, const struct unwind_cpu *cpu, struct unwind_memory *m,
		       struct unwind_registers *regs);

#endif
