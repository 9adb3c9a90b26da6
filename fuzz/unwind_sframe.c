/* SPDX-License-Identifier: MIT */
/* Any bytes as .sframe: the rows of every function. First byte: 1 swapped, 2 aarch64, 4 s390x, else x86-64. */
#include <stdlib.h>
#include <string.h>

#include "unwind/sframe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Hostile functions can share rows: some say it all. */
enum { FUNCTIONS_MOST = 1000, ROWS_MOST = 100000 };

static int take_row(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	unsigned *rows = ctx;

	if (start == end || row->cfa_reg >= UNWIND_REGS)
		abort();
	return ++*rows < ROWS_MOST ? 0 : -SONDE_NOMEM;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_section section = { .addr = 0x1000, .wide = true };
	struct sframe x;
	struct sframe_function f;
	unsigned rows = 0;
	uint8_t *copy;

	if (size < 1)
		return 0;
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	section.bytes = copy;
	section.size = size - 1;
	section.swap = data[0] & 1;
	if (sframe_open(&x, &section, data[0] & 2 ? EM_AARCH64 : data[0] & 4 ? EM_S390 : EM_X86_64))
		for (uint32_t i = 0; i < x.nr_functions && i < FUNCTIONS_MOST; i++)
			if (sframe_function(&x, i, &f))
				sframe_rows(&x, &f, take_row, &rows);
	free(copy);
	return 0;
}
