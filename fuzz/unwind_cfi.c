/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as .eh_frame and as .debug_frame: every entry, every row of its instructions, every expression of a rule.
 * The first byte: 1 big-endian, 2 addresses of 8 bytes, 4 .debug_frame.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/expression.h"
#include "unwind/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Instructions of hostile FDEs can share bytes: some rows say it all. */
enum { ROWS_MOST = 100000 };

struct seen {
	const struct cfi_section *s;
	unsigned rows;
};

static void use_expression(const struct cfi_section *s, int32_t at)
{
	struct unwind_registers regs = { .pc = 0x1000 };
	uint8_t stack[64] = { 0 };
	struct unwind_memory m = { .stack_at = 0x7000, .stack = { stack, sizeof(stack) }, .word = s->wide ? 8 : 4 };
	uint64_t cfa = 0x7010, value;

	unwind_register_set(&regs, 7, 0x7000);
	expression_value(s, (uint32_t)at, &regs, &m, &cfa, &value);
}

static int take_row(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct seen *seen = ctx;

	if (start >= end)
		abort();
	if (row->cfa_is_expression)
		use_expression(seen->s, row->cfa_offset);
	for (size_t i = 0; i < UNWIND_REGS; i++)
		if (row->regs[i].kind == REG_EXPRESSION || row->regs[i].kind == REG_VAL_EXPRESSION)
			use_expression(seen->s, row->regs[i].value);
	return ++seen->rows == ROWS_MOST;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_section s = { .addr = 0x1000 };
	struct seen seen = { .s = &s };
	struct cfi_entry e;
	struct cfi_fde fde;
	uint8_t *copy;

	if (size < 1)
		return 0;
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	s.bytes = copy;
	s.size = size - 1;
	s.swap = host_is_big_endian() != !!(data[0] & 1);
	s.wide = data[0] & 2;
	s.debug_frame = data[0] & 4;
	for (uint32_t at = 0; cfi_entry_at(&s, at, &e) && seen.rows < ROWS_MOST; at = e.next)
		if (cfi_fde_read(&s, &e, &fde))
			cfi_program_run(&s, &fde, take_row, &seen);
	free(copy);
	return 0;
}
