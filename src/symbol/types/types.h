/* SPDX-License-Identifier: MIT */
/*
 * types.h - the type that an instruction of a binary touches in memory
 *
 * First the operand in memory: a register and an offset, or an address. A variable in scope tells its type: a global
 * at the address, a local on the frame, a pointer in the register. Where no variable does, the types of registers are
 * followed from the beginning of the scope to the instruction, on the shortest way.
 */
#ifndef SYMBOL_TYPES_TYPES_H
#define SYMBOL_TYPES_TYPES_H

#include "base/buf.h"
#include "symbol/elf/file.h"
#include "symbol/table/symtab.h"

struct types;

/* Instructions that a CPU runs as one with a branch after them: a sample at the branch is one of the first of them. */
enum types_fusing {
	TYPES_FUSE_NOTHING,
	TYPES_FUSE_COMPARE,          /* test, cmp */
	TYPES_FUSE_SUM,              /* add, sub, and, inc, dec too */
	TYPES_FUSE_ALL,              /* or, xor too */
};

enum types_kind { TYPES_UNKNOWN, TYPES_TYPE, TYPES_STACK, TYPES_CANARY };

struct types_access {
	enum types_kind kind;
	int64_t offset;              /* in the type */
	struct buf *type, *member;   /* the caller's: names of TYPES_TYPE; member stays empty where there is none */
};

/* Is there a disassembler in this build? */
bool types_supported(void);

/*
 * code: the file that ran; debug: the file with DWARF, or NULL: the same. Both stay the caller's and open, as does
 * table, the binary's symbols by file offset. NULL when out of memory, or if nothing can be known.
 */
struct types *types_new(const struct elf_file *code, const struct elf_file *debug, struct symtab *table);
void types_free(struct types *t);

/* The type that the instruction at a file offset touches. */
void types_find(struct types *t, uint64_t offset, enum types_fusing fusing, struct types_access *out);

#endif
