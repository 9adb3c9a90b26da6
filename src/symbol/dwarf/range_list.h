/* SPDX-License-Identifier: MIT */
/* range_list.h - the ranges of an entry: low and high address, .debug_ranges, .debug_rnglists. */
#ifndef SYMBOL_DWARF_RANGE_LIST_H
#define SYMBOL_DWARF_RANGE_LIST_H

#include "symbol/dwarf/unit.h"
#include "symbol/dwarf/unit_tree.h"

/* Where code lies in a file: what the linker dropped has an address elsewhere. Sorted, apart from each other. */
struct code_areas { VEC(struct tree_range) areas; };

/* Executable sections, or segments where there are no sections. 0 or -SONDE_NOMEM. */
int code_areas_find(struct code_areas *c, const struct elf_file *f);
void code_areas_free(struct code_areas *c);

/* The area that an address lies in, or NULL. */
const struct tree_range *code_areas_at(const struct code_areas *c, uint64_t addr);

struct range_list { VEC(struct tree_range) ranges; };

/* Adds a range if it has code, up to the end of its area. 0 or -SONDE_NOMEM. */
int range_list_add(struct range_list *l, const struct code_areas *code, uint64_t start, uint64_t end);
/* Sorts the ranges and joins those that overlap or touch. */
void range_list_tidy(struct range_list *l);

/*
 * The ranges of an entry that have code: sorted, joined where they touch. `u` is the unit of the entry. Each entry of
 * a list takes one of *budget. 0, -SONDE_NOMEM, or -SONDE_CORRUPT when the budget is used up.
 */
int range_list_read(struct range_list *l, const struct unit *u, const struct die *die, const struct code_areas *code,
		    uint64_t *budget);

/* Whether an entry has attributes of ranges, whatever they say. */
static inline bool die_has_ranges(const struct die *die)
{
	return DIE_HAS(die, ATTR_RANGES) || (DIE_HAS(die, ATTR_LOW_PC) && DIE_HAS(die, ATTR_HIGH_PC));
}

#endif
