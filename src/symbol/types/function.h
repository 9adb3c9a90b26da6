/* SPDX-License-Identifier: MIT */
/*
 * function.h - a function as its symbol says where it is: its instructions, its scopes with their variables, and the
 * shortest ways between two of its instructions
 */
#ifndef SYMBOL_TYPES_FUNCTION_H
#define SYMBOL_TYPES_FUNCTION_H

#include "symbol/types/insn.h"
#include "symbol/types/scope.h"

/* Instructions that are run through one after the other, by number. */
struct code_block { uint32_t first, last; };
struct block_path { VEC(struct code_block) blocks; };

/* A block of a search, and the number of that before it. */
struct block_step { uint32_t first, last, before; };

struct function {
	uint64_t start, end;         /* addresses as linked */
	struct insns insns;
	VEC(struct scope *) scopes;  /* seen so far */
	uint32_t *mark, round;       /* by instruction: the search that came by last */
	VEC(struct block_step) steps; /* of the search at hand */
};

/* NULL when out of memory. The code is only read during the call. */
struct function *function_new(const uint8_t *code, uint64_t start, uint64_t end);
void function_free(struct function *f);

/* The scope with its variables; NULL when out of memory, or if it has no code. */
struct scope *function_scope(struct function *f, Dwarf_Die *die);

/* Puts the shortest way, in blocks, before what is in the path. 0, 1 if there is none, or -SONDE_NOMEM. */
int function_find_path(struct function *f, uint32_t from, uint32_t to, struct block_path *path);

#endif
