/* SPDX-License-Identifier: MIT */
/*
 * arm_prologue.h - what the first instructions of a 32-bit ARM function put on the stack
 *
 * Compilers write no unwind instructions for functions that no exception goes through: .ARM.exidx has only their
 * begin.
 */
#ifndef UNWIND_ARM_PROLOGUE_H
#define UNWIND_ARM_PROLOGUE_H

#include "unwind/memory.h"
#include "unwind/registers.h"

/*
 * Makes @regs those of the caller of the function that begins at @start, of which the instructions before regs->pc have
 * run. @innermost: its return address may still be in lr. False if the code or the stack cannot be read, or the return
 * address was not saved.
 */
bool arm_prologue_unwind(uint64_t start, bool innermost, struct unwind_memory *m, struct unwind_registers *regs);

#endif
