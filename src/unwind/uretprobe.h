/* SPDX-License-Identifier: MIT */
/*
 * uretprobe.h - the caller of a function whose return address a uretprobe has replaced
 *
 * The kernel writes the address of its trampoline, which is mapped as "[uprobes]", in place of the return address, and
 * keeps the true one for itself. The caller shows nevertheless: farther up is the return address of a call to a
 * function that calls the probed one, at the very place where the table of that function says.
 */
#ifndef UNWIND_URETPROBE_H
#define UNWIND_URETPROBE_H

#include "unwind/cpu.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

bool uretprobe_is_trampoline(maps_root maps, uint64_t pc);

/*
 * Finds where the probed function returns to. @function: its first byte; @regs: as they are after it has returned,
 * without pc. A caller that calls the function at several places is found at the first of them. False if no caller is
 * beyond doubt, as where the call goes through a pointer or a stub.
 */
bool uretprobe_find_caller(const struct unwind_cpu *cpu, struct unwind_memory *m, const struct unwind_registers *regs,
			   uint64_t function, uint64_t *pc);

#endif
