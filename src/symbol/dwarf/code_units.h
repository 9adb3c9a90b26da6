/* SPDX-License-Identifier: MIT */
/* code_units.h - the compile units of a debug file that may have code, and the functions of each. */
#ifndef SYMBOL_DWARF_CODE_UNITS_H
#define SYMBOL_DWARF_CODE_UNITS_H

#include "symbol/dwarf/range_list.h"
#include "symbol/dwarf/split.h"

struct code_units {
	struct debug_file *file;     /* borrowed, as the areas are */
	const struct code_areas *code;
	struct die_names names;
	pthread_mutex_t split_lock;  /* of the pointers to splits */
	struct splits splits;
	/* split: of a skeleton whose entries were asked for; otherwise NULL. */
	VEC(struct code_unit { struct unit *unit; struct split *split; }) list;
};

/* All that is passed lives longer. */
void code_units_init(struct code_units *c, struct debug_file *file, const struct code_areas *code,
		     const struct dwarf_paths *paths, struct missing_parts *missing);
void code_units_free(struct code_units *c);

/* Reads the list, once. 0 or -SONDE_NOMEM */
int code_units_find(struct code_units *c);

/* Whether a unit can be read and has code: up to DWARF 4, only its first entry tells that it has none. */
bool code_unit_is_readable(const struct code_units *c, uint32_t unit);
bool code_units_any_readable(const struct code_units *c);

/* As dwarf_unit_tree(). */
int code_unit_tree(struct code_units *c, uint32_t unit, struct unit_tree *tree);

#endif
