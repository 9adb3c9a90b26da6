/* SPDX-License-Identifier: MIT */
/* Any bytes as code: the first two choose the machine, the rest is taken apart. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "disasm/data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_row(const struct disasm_insn *insn)
{
	size_t n = strnlen(insn->operands, DISASM_OPERANDS);

	if (!insn->size || strnlen(insn->mnemonic, DISASM_MNEMONIC) == DISASM_MNEMONIC || n == DISASM_OPERANDS ||
	    (insn->has_target && insn->target_at > n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_ARM, EM_S390, EM_PPC64, EM_PPC, EM_MIPS,
					     EM_SPARC, EM_SPARCV9, EM_RISCV };
	struct machine_code code = { 0 };
	struct disasm_place at;
	struct disasm_insn insn;
	struct disasm *d;

	if (size < 2)
		return 0;
	code.machine = machines[data[0] % ARRAY_SIZE(machines)];
	code.wide = data[1] & 1;
	code.big_endian = data[1] & 2;
	if (disasm_new(&d, &code, data[1] & 4 ? DISASM_INTEL : DISASM_ATT, NULL) < 0)
		return 0;
	disasm_set_thumb(d, data[1] & 8);
	at = (struct disasm_place){ .p = data + 2, .left = size - 2, .addr = 0x1000, .sync = 0x1000 + (data[1] >> 4) };
	for (uint64_t next = at.addr; disasm_next(d, &at, &insn); next += insn.size) {
		if (insn.addr != next || at.addr != next + insn.size || at.p + at.left != data + size)
			abort();
		check_row(&insn);
		if (at.left >= 4 && data[1] & 0x80) {
			next += insn.size;
			data_take(&at, 4, code.big_endian, &insn);
			check_row(&insn);
		}
	}
	disasm_free(d);
	return 0;
}
