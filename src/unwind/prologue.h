/* SPDX-License-Identifier: MIT */
/* prologue.h - what a function without CFI has done with its stack, by its instructions */
#ifndef UNWIND_PROLOGUE_H
#define UNWIND_PROLOGUE_H

#include "unwind/cpu.h"
#include "unwind/memory.h"

/*
 * The bytes by which the instructions from @start to @pc lower the stack pointer; 0 if they do not, or on an
 * architecture whose calls put the return address on the stack.
 */
uint64_t prologue_room(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t start, uint64_t pc);

/*
 * Whether instructions shortly before @pc make the frame pointer that of this function; false on architectures whose
 * calls leave the return address in a register.
 */
bool prologue_sets_frame_pointer(const struct unwind_cpu *cpu, struct unwind_memory *m, uint64_t pc);

#endif
