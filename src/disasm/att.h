/* SPDX-License-Identifier: MIT */
/* att.h - x86 instructions in AT&T syntax as objdump writes them, made from capstone's text */
#ifndef DISASM_ATT_H
#define DISASM_ATT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text of capstone, and facts that it does not show. */
struct att_source {
	const char *name, *operands;
	bool has_displacement;       /* the instruction has one, though it may be 0 */
	uint8_t size;                /* bytes of what it works on: of a negative immediate; 0: not known */
};

/* "movq", "$1, (%rax, %rbx)" become "mov", "$0x1,(%rax,%rbx,1)". Text that does not fit is cut. */
void att_write(char *mnemonic, size_t mnemonic_size, char *operands, size_t operands_size,
	       const struct att_source *from);

#endif
