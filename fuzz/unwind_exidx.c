/* SPDX-License-Identifier: MIT */
/* Any bytes as .ARM.exidx and .ARM.extab, one after the other: the rows of every entry. First byte: 1 swapped. */
#include <stdlib.h>
#include <string.h>

#include "unwind/exidx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENTRIES_MOST = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct exidx x = { 0 };
	struct cfi_row row;
	uint64_t return_register;
	uint8_t *copy;

	if (size < 1 + EXIDX_ENTRY_BYTES)
		return 0;
	copy = malloc(size - 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	x.index = (struct cfi_section){ .bytes = copy, .size = size - 1, .addr = 0x1000, .swap = data[0] & 1 };
	x.extab = x.index;
	for (uint32_t at = 0; x.index.size - at >= EXIDX_ENTRY_BYTES && at < ENTRIES_MOST * EXIDX_ENTRY_BYTES;
	     at += EXIDX_ENTRY_BYTES)
		if (exidx_row(&x, at, &row, &return_register) && return_register > UNWIND_REGS)
			abort();
	free(copy);
	return 0;
}
