/* SPDX-License-Identifier: MIT */
/* program.h - the instructions of an FDE, as rows: each says how a frame in a range of addresses is unwound */
#ifndef UNWIND_PROGRAM_H
#define UNWIND_PROGRAM_H

#include "symbol/elf/cfi.h"
#include "unwind/cpu.h"
#include "unwind/rule.h"

/* All rules of one row. */
struct cfi_row {
	bool cfa_is_expression, cfa_in_memory;
	uint8_t cfa_reg;
	int32_t cfa_offset;
	struct reg_rule regs[UNWIND_REGS];
};

/* Takes [start, end) and its row; 0 or negative, which ends the run and is its result. */
typedef int cfi_row_fn(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row);

/*
 * Gives the rows of an FDE in the order of their addresses. 0, what @fn returned, or -SONDE_CORRUPT for instructions
 * that make no sense: the rows before them are sound.
 */
int cfi_program_run(const struct cfi_section *s, const struct cfi_fde *fde, cfi_row_fn *fn, void *ctx);

#endif
