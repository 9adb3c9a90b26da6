/* SPDX-License-Identifier: MIT */
/* data.h - bytes that are no instruction, as the directives of an assembler */
#ifndef DISASM_DATA_H
#define DISASM_DATA_H

#include "disasm/disasm.h"

/* The next @size bytes, 4 at most, as a row. */
void data_take(struct disasm_place *at, size_t size, bool big_endian, struct disasm_insn *out);

#endif
