/* SPDX-License-Identifier: MIT */
/*
 * dwarf.h - the DWARF of one binary with indices of its own: units and functions by address, global variables by
 * address, the frame base at an address
 *
 * Each index is made once, when it is first needed, in one pass over the entries of a unit's top level.
 */
#ifndef SYMBOL_TYPES_DWARF_H
#define SYMBOL_TYPES_DWARF_H

#include "symbol/elf/file.h"
#include "symbol/types/scope.h"

struct types_range { uint64_t start, end; Dwarf_Off die; };
struct types_unit_range { uint64_t start, end; uint32_t unit; };
struct types_global { uint64_t start, end; Dwarf_Die type; };
struct types_name { const char *name; int tag; Dwarf_Off die; };

struct types_unit {
	Dwarf_Die die;
	bool indexed;                /* these are there: */
	VEC(struct types_range) functions;   /* sorted by start */
	VEC(struct types_name) names;    /* functions and variables, sorted */
};

/* A register that locals are found by, and the distance from it to the frame base. */
struct types_frame { int reg; int64_t offset; };

struct types_dwarf {
	Dwarf *dw;
	uint64_t work;               /* steps that are left, the user's too */
	uint64_t cfa_steps;          /* of a look at the rules for frames */
	Dwarf_CFI *debug_frame, *eh_frame;   /* NULL: there is none; eh_frame is owned */
	VEC(struct types_unit) units;
	VEC(struct types_unit_range) unit_ranges;  /* sorted by start */
	bool globals_indexed;
	VEC(struct types_global) globals;  /* sorted by start */
	struct { uint64_t start, end; bool known; struct types_frame frame; } cfa;  /* looked up last */
};

/* code: the file that ran; debug: the file with .debug_info, which may be the same. Both live longer. */
int types_dwarf_open(struct types_dwarf *d, const struct elf_file *code, const struct elf_file *debug);
void types_dwarf_close(struct types_dwarf *d);

/* The unit and the function that an address lies in; false: none. */
struct types_unit *types_dwarf_unit_at(struct types_dwarf *d, uint64_t addr);
bool types_dwarf_function_at(struct types_dwarf *d, struct types_unit *unit, uint64_t addr, Dwarf_Die *function);

/* The type of the global variable at an address, and where in it the address lies. */
bool types_dwarf_global_at(struct types_dwarf *d, uint64_t addr, Dwarf_Die *type, int64_t *offset);

/* The type of a unit's variable (DW_TAG_variable) of a name, the result's of a function (DW_TAG_subprogram). */
bool types_dwarf_named_type(struct types_dwarf *d, struct types_unit *unit, int tag, const char *name, Dwarf_Die *type);

/* The canonical frame address at an address, as a register and a distance. */
bool types_dwarf_cfa_at(struct types_dwarf *d, uint64_t addr, struct types_frame *frame);

#endif
