/* SPDX-License-Identifier: MIT */
/*
 * index_piece.h - a unit's part of an index, encoded; several threads may make pieces at once
 *
 * Its names and files have numbers of its own, so nothing of it changes when it is put together with others.
 */
#ifndef SYMBOL_DWARF_INDEX_PIECE_H
#define SYMBOL_DWARF_INDEX_PIECE_H

#include "base/strpool.h"
#include "symbol/dwarf/line_table.h"
#include "symbol/dwarf/unit_tree.h"

/* Addresses that belong to a function; or that have lines, whatever function they belong to. */
struct index_extent { uint64_t start, end; uint32_t function; };

struct piece_function {
	uint64_t start;
	uint32_t name;
	uint32_t at;                 /* of what was inlined into it, in bytes */
};

struct piece_block {
	uint64_t start;
	uint32_t at;
};

struct index_piece {
	VEC(struct index_extent) code, lines;
	VEC(struct piece_function) functions;
	VEC(struct piece_block) blocks;
	VEC(uint8_t) bytes;          /* inlined functions and lines, encoded */
	struct strpool strings;      /* names and files by number */
};

/* table: NULL: the unit has none. 0, or -SONDE_NOMEM and an empty piece. */
int index_piece_make(struct index_piece *p, const struct unit_tree *tree, struct line_table *table);
void index_piece_free(struct index_piece *p);

#endif
