/* SPDX-License-Identifier: MIT */
/*
 * insn.h - x86-64 instructions, as far as types follow from them: what they do, and their operands
 *
 * Registers have their DWARF numbers: 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8 to 15. A part of a
 * register stands for the whole.
 */
#ifndef SYMBOL_TYPES_INSN_H
#define SYMBOL_TYPES_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { NR_REGS = 16, REG_SP = 7, REG_NONE = -1, REG_PC = -2 };

enum insn_kind {
	INSN_OTHER,
	INSN_MOV,                    /* each name that begins with mov: movslq, movss, ... */
	INSN_LEA,
	INSN_ADD,
	INSN_SUB,
	INSN_XOR,
	INSN_CHANGE,                 /* and, or, imul, inc, dec, neg: the target stops being a pointer */
	INSN_JUMP,                   /* always goes elsewhere */
	INSN_BRANCH,                 /* may go elsewhere */
	INSN_CALL,
	INSN_RET,
	INSN_STACK,                  /* push, pop */
};

enum operand_kind { OPERAND_NONE, OPERAND_REG, OPERAND_IMM, OPERAND_MEMORY };

enum segment { SEGMENT_NONE, SEGMENT_FS, SEGMENT_GS };

struct operand {
	uint8_t kind;
	uint8_t segment;             /* of memory */
	int8_t reg;                  /* the register, or the base of memory; REG_PC: `value` is the address itself */
	int8_t index;                /* of memory; REG_NONE: no second register */
	int64_t value;               /* immediate, displacement */
};

struct insn {
	uint64_t addr;
	uint64_t target;             /* of a jump, branch or call; 0: an operand says where */
	uint8_t size;
	uint8_t kind;
	/* The first one of a pair that a CPU may run as one: cmp, test; and add, sub, and, inc, dec, or, xor. */
	bool compares, computes;
	bool is_or_xor;              /* computes, but not on all CPUs that fuse the others */
	struct operand from, to;     /* `to`: the one that Intel's syntax names first */
};

struct insns { VEC(struct insn) list; };

/* Takes code apart; bytes that are no instruction are one of kind INSN_OTHER each. 0 or -SONDE_NOMEM. */
int insns_decode(struct insns *out, const uint8_t *code, uint64_t size, uint64_t addr);

/* The number of the instruction that begins at an address; -1 if none does. */
int64_t insns_at(const struct insns *insns, uint64_t addr);

/* Is it the value that guards the stack, which lies at a fixed place of each thread? */
bool operand_is_canary(const struct operand *memory);

/* The operand in memory, NULL if there is none: lea and nop touch no memory. */
const struct operand *insn_memory(const struct insn *insn);

#endif
