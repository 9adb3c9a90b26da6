/* SPDX-License-Identifier: MIT */
/* expression.h - DWARF expressions of CFI: small programs over the registers and the memory of a frame */
#ifndef UNWIND_EXPRESSION_H
#define UNWIND_EXPRESSION_H

#include "symbol/elf/cfi.h"
#include "unwind/memory.h"
#include "unwind/registers.h"

/*
 * The value of the expression whose length is at @at of the section. @cfa: what the stack begins with, or NULL: it
 * begins empty. False for an expression that cannot be evaluated here or does not end soon.
 */
bool expression_value(const struct cfi_section *s, uint32_t at, const struct unwind_registers *regs,
		      struct unwind_memory *memory, const uint64_t *cfa, uint64_t *out);

#endif
