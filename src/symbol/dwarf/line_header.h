/* SPDX-License-Identifier: MIT */
/*
 * line_header.h - the header of a line program: its parameters, directories and files
 *
 * DWARF 2 to 5. A table of files that cannot be decoded leaves the files before the damage; the program is read all
 * the same.
 */
#ifndef SYMBOL_DWARF_LINE_HEADER_H
#define SYMBOL_DWARF_LINE_HEADER_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf.h"

struct line_file {
	const char *name;            /* a view of a section; NULL: unknown */
	uint64_t dir;                /* number of a directory */
	const char *path;            /* joined with its directories, once it was asked for */
};

struct line_header {
	uint16_t version;
	uint8_t min_inst_length, max_ops, opcode_base, line_range;
	int8_t line_base;
	const uint8_t *operands;     /* of the standard opcodes, from 1 on */
	struct cursor program;
	const char *comp_dir;        /* a view; NULL: unknown */
	VEC(const char *) dirs;      /* by number; entry 0 is the directory of the compilation */
	VEC(struct line_file) files; /* by number; before DWARF 5, entry 0 has no name */
	struct arena paths;
};

/* The bytes of a program with its header and length; 0: there is none. */
uint64_t line_header_unit_size(const struct unit_lines *lines);

/* 0, -SONDE_NOMEM, or -SONDE_CORRUPT: there is no program that can be run. */
int line_header_read(struct line_header *h, const struct unit_lines *lines);
void line_header_free(struct line_header *h);

/* One more file, as the program itself may define. 0 or -SONDE_NOMEM. */
int line_header_add_file(struct line_header *h, struct cursor *c, const char *name);

/* The path of a file, joined with its directory and that of the compilation; NULL: unknown. As long as the header. */
const char *line_header_path(struct line_header *h, uint64_t number);

#endif
