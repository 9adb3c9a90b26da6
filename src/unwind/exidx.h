/* SPDX-License-Identifier: MIT */
/*
 * exidx.h - the unwind tables of 32-bit ARM: .ARM.exidx is a row of (function, instructions), and .ARM.extab has the
 * longer ones
 *
 * Layout: Exception Handling ABI for the Arm Architecture. The instructions describe a function after its prologue.
 */
#ifndef UNWIND_EXIDX_H
#define UNWIND_EXIDX_H

#include "unwind/program.h"

enum { EXIDX_ENTRY_BYTES = 8 };

struct exidx {
	struct cfi_section index, extab;  /* extab: without bytes where the file has none */
};

/* False if the file has none. */
bool exidx_open(struct exidx *x, const struct elf_file *f);

/* The address of the function of the entry at an offset. */
uint64_t exidx_function(const struct exidx *x, uint32_t at);

/*
 * The row of that function, and the register with its return address; UNWIND_REGS: nothing called it. False for
 * instructions that make no sense here.
 */
bool exidx_row(const struct exidx *x, uint32_t at, struct cfi_row *row, uint64_t *return_register);

#endif
