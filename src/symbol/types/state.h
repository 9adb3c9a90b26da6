/* SPDX-License-Identifier: MIT */
/*
 * state.h - the types that registers and stack slots have, from instruction to instruction
 */
#ifndef SYMBOL_TYPES_STATE_H
#define SYMBOL_TYPES_STATE_H

#include "symbol/types/insn.h"
#include "symbol/types/scope.h"

struct content {
	enum content_kind {
		CONTENT_UNKNOWN,
		CONTENT_TYPE,        /* a value of the type; of a pointer `offset` bytes were added to it */
		CONTENT_POINTER,     /* an address: `offset` bytes into something of the type */
		CONTENT_NUMBER,      /* the constant `offset` */
		CONTENT_CANARY,      /* the value that guards the stack */
	} kind;
	int64_t offset;
	Dwarf_Die type;
	int copied_from;             /* register; REG_NONE: none */
};

/* Slots beyond these are not followed. */
enum { SLOTS_MAX = 128 };

struct slot_state {
	int64_t at;                  /* from the frame base */
	uint64_t size;
	bool compound;               /* a struct or union: instructions touch its members */
	struct content content;
};

struct state {
	struct content regs[NR_REGS];
	struct slot_state slots[SLOTS_MAX];  /* the newest last */
	int nr_slots;
};

/* The function around an instruction: its frame, and the file's globals and functions. */
struct surroundings {
	void *ctx;
	uint64_t *work;              /* steps that are left */
	/* The register that locals are found by at an address, and its distance to the frame base; false: none. */
	bool (*frame)(void *ctx, uint64_t addr, int *reg, int64_t *offset);
	bool (*global)(void *ctx, uint64_t addr, Dwarf_Die *type, int64_t *offset);
	bool (*result)(void *ctx, uint64_t function, Dwarf_Die *type);
};

/* The slot that a place on the stack lies in; NULL: none. */
const struct slot_state *state_slot(const struct state *s, int64_t at);

/* A variable is where its location says, from this address on. */
void state_note_variable(struct state *s, const struct surroundings *in, uint64_t addr, const struct variable *v);

/* After the instruction. */
void state_step(struct state *s, const struct surroundings *in, const struct insn *insn);

#endif
