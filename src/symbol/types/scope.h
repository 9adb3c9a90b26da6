/* SPDX-License-Identifier: MIT */
/*
 * scope.h - the functions and blocks around an address, and the places of their variables
 */
#ifndef SYMBOL_TYPES_SCOPE_H
#define SYMBOL_TYPES_SCOPE_H

#include "base/vec.h"
#include "symbol/types/die.h"

/* Deeper nesting of inlined functions and blocks is cut off. */
enum { SCOPES_MAX = 64 };

/* A location of a variable: a variable that moves has several. */
struct variable {
	enum variable_place {
		VARIABLE_IN_REG,     /* its value plus `offset` is in the register */
		VARIABLE_AT_REG,     /* it lies where the register plus `offset` points to */
		VARIABLE_ON_FRAME,   /* it lies at `offset` from the frame base */
		VARIABLE_AT_ADDRESS, /* it lies at the address `offset` */
	} place;
	int reg;
	int64_t offset;
	bool everywhere;             /* in its scope; else from start to end */
	uint64_t start, end;
	Dwarf_Die type;
	uint64_t size;               /* of the type; 0: not known */
};

struct scope {
	Dwarf_Die die;
	uint64_t start;              /* where its code begins */
	VEC(struct variable) variables;  /* in the order of the file */
};

/* Appends where the variables and parameters of a scope (or of a whole unit) are. 0 or -SONDE_NOMEM. */
int scope_collect(struct scope *scope);

/* The scopes that an address is in, from the function inwards. Returns how many. */
int scopes_around(Dwarf_Die *function, uint64_t addr, Dwarf_Die out[SCOPES_MAX], uint64_t *work);

/* Where the code of a scope begins; false if it has none. */
bool scope_start(Dwarf_Die *scope, uint64_t *start);

/* The address of a variable that lies at one, through all its life. */
bool variable_address(Dwarf_Die *variable, uint64_t *addr);

#endif
