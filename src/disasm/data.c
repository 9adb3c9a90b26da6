/* SPDX-License-Identifier: MIT */
#include "disasm/data.h"

#include <stdio.h>

void data_take(struct disasm_place *at, size_t size, bool big_endian, struct disasm_insn *out)
{
	static const char *const names[] = { [1] = ".byte", [2] = ".short", [4] = ".word" };
	uint64_t value = 0;

	if (size > at->left || size > 4 || size == 3)
		size = 1;
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)at->p[big_endian ? size - 1 - i : i] << 8 * i;
	*out = (struct disasm_insn){ .addr = at->addr, .size = (uint8_t)size, .kind = DISASM_DATA };
	snprintf(out->mnemonic, sizeof(out->mnemonic), "%s", names[size]);
	snprintf(out->operands, sizeof(out->operands), "0x%0*llx", (int)(2 * size), (unsigned long long)value);
	at->p += size;
	at->left -= size;
	at->addr += size;
}
