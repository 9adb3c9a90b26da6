/* SPDX-License-Identifier: MIT */
/*
 * line_table.h - the lines of a unit: its line program, run
 *
 * Rows are sorted by address; the last row that a program gives for an address holds; equal neighbours are one row. A
 * row holds up to the next one, and nothing holds after a row that is an end.
 */
#ifndef SYMBOL_DWARF_LINE_TABLE_H
#define SYMBOL_DWARF_LINE_TABLE_H

#include "symbol/dwarf/line_header.h"

struct line_row {
	uint64_t address;
	uint32_t file, line, column; /* 0: no line, no column */
	bool end;
};

struct line_table {
	struct line_header header;
	VEC(struct line_row) rows;
};

/*
 * Runs the program of a unit. code: rows that are not in code of it are dropped; NULL: all are kept. 0, -SONDE_NOMEM,
 * or -SONDE_CORRUPT: the rows before the damage are there.
 */
int line_table_read(struct line_table *t, const struct unit_lines *lines, const struct dwarf *code);
void line_table_free(struct line_table *t);

/* The row that holds at an address; NULL: none. */
const struct line_row *line_table_find(const struct line_table *t, uint64_t addr);

/* The path of a file by its number; NULL: unknown. As long as the table. */
static inline const char *line_table_path(struct line_table *t, uint32_t file)
{
	return line_header_path(&t->header, file);
}

#endif
