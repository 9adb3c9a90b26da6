/* SPDX-License-Identifier: MIT */
/*
 * unit_tree.h - the functions of a unit that have code, and the functions that were inlined into them
 *
 * Nodes are in preorder. A function is a node without a parent, also where it is nested in another function.
 */
#ifndef SYMBOL_DWARF_UNIT_TREE_H
#define SYMBOL_DWARF_UNIT_TREE_H

#include <stdint.h>

#include "base/vec.h"

#define TREE_NO_PARENT UINT32_MAX

struct tree_range { uint64_t start, end; };  /* addresses as the ELF file states them; end is exclusive */

struct tree_node {
	/* linkage name, else the name with its scopes; NULL: none; as long as the struct dwarf */
	const char *name;
	uint32_t parent;             /* an earlier node; TREE_NO_PARENT: a function */
	/* in unit_tree.ranges: sorted, apart from each other, clipped to the parent's */
	uint32_t first_range, nr_ranges;
	/* of an inlined function, its call; 0: unknown */
	uint32_t call_file;          /* number in the line table of the unit */
	uint32_t call_line, call_column;
};

struct unit_tree {
	VEC(struct tree_node) nodes;
	VEC(struct tree_range) ranges;
};

struct code_areas;
struct die_names;
struct unit;

/* Adds the functions of a unit to an empty tree. 0, -SONDE_NOMEM, or -SONDE_CORRUPT: all up to the damage is there. */
int unit_tree_read(struct unit_tree *t, struct unit *u, struct die_names *names, const struct code_areas *code);

void unit_tree_free(struct unit_tree *t);

#endif
