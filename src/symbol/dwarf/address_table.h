/* SPDX-License-Identifier: MIT */
/*
 * address_table.h - the units of addresses, as the linker, gdb or the compiler wrote them into the file
 *
 * .gdb_index (versions 4 to 9) or .debug_aranges. Neither is trusted: who uses a row compares it with its unit.
 */
#ifndef SYMBOL_DWARF_ADDRESS_TABLE_H
#define SYMBOL_DWARF_ADDRESS_TABLE_H

#include "base/vec.h"
#include "symbol/dwarf/sections.h"

struct address_row {
	uint64_t start, end;
	uint64_t unit;               /* its offset in .debug_info */
};

struct address_table {
	VEC(struct address_row) rows;        /* in any order */
	VEC(uint64_t) units;         /* those that the table was made of */
	bool complete;               /* an address of these units without a row has no code */
};

/* 0, -SONDE_NOMEM, -SONDE_MISSING: the file has no such table, or -SONDE_CORRUPT: it is damaged. */
int address_table_read(struct address_table *t, struct debug_sections *s);
void address_table_free(struct address_table *t);

#endif
