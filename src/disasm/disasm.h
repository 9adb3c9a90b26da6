/* SPDX-License-Identifier: MIT */
/*
 * disasm.h - code as a row of instructions
 *
 *	struct disasm_place at = { .p = bytes, .left = size, .addr = start };
 *	struct disasm_insn insn;
 *
 *	while (disasm_next(d, &at, &insn))
 *		printf("%" PRIx64 " %s %s\n", insn.addr, insn.mnemonic, insn.operands);
 */
#ifndef DISASM_DISASM_H
#define DISASM_DISASM_H

#include <stddef.h>

#include "disasm/machine.h"

enum { DISASM_MNEMONIC = 40, DISASM_OPERANDS = 224 };

enum disasm_kind {
	DISASM_OTHER,
	DISASM_JUMP,                 /* goes elsewhere, always or under a condition */
	DISASM_CALL,
	DISASM_RETURN,
	DISASM_DATA,                 /* bytes that are no instruction */
};

/* How instructions are written. */
enum disasm_syntax { DISASM_ATT, DISASM_INTEL };

struct disasm_insn {
	uint64_t addr;
	uint8_t size;
	uint8_t kind;                /* enum disasm_kind */
	bool has_target;             /* of a jump or call: an address; else a register or memory says where */
	bool has_referred;           /* an operand in memory lies at a fixed distance from the instruction */
	uint64_t target, referred;
	uint8_t target_at;           /* where in the operands the number of the target begins; it ends with them */
	char mnemonic[DISASM_MNEMONIC];
	char operands[DISASM_OPERANDS];
};

/* The code that is left. */
struct disasm_place {
	const uint8_t *p;
	size_t left;
	uint64_t addr;
	uint64_t sync;               /* after data: no instruction reaches beyond this address, where one begins */
	bool lost;                   /* the last row was data */
};

struct disasm;

/* 0; or -SONDE_UNSUPPORTED with the name of the machine, -SONDE_NOMEM. @syntax: of x86. */
int disasm_new(struct disasm **out, const struct machine_code *code, enum disasm_syntax syntax,
	       struct sonde_error *err);
void disasm_free(struct disasm *d);

/* 32-bit ARM: whether the next instructions are those of Thumb. */
void disasm_set_thumb(struct disasm *d, bool thumb);

/* The next row, of code or of bytes that are none; false at the end. Each row has a byte or more. */
bool disasm_next(struct disasm *d, struct disasm_place *at, struct disasm_insn *out);

#endif
