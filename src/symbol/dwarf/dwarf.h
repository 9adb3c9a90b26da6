/* SPDX-License-Identifier: MIT */
/*
 * dwarf.h - the DWARF of one debug file, with the files that it refers to: .dwo, .dwp, and the file that dwz made
 *
 *	struct dwarf *d = dwarf_new(&debug_file, path, &opts, &err);
 *	uint32_t units[UNITS_OF_ADDRESS_MAX];
 *	size_t n = dwarf_units_at(d, addr, units);
 *	struct unit_tree tree = { 0 };
 *	if (dwarf_unit_tree(d, units[i], &tree) == 0) ...
 *	unit_tree_free(&tree);
 *
 * Several threads may read units of one struct dwarf at once. Sections are read, and decompressed, when they are
 * first needed.
 */
#ifndef SYMBOL_DWARF_DWARF_H
#define SYMBOL_DWARF_DWARF_H

#include "symbol/dwarf/missing_parts.h"
#include "symbol/dwarf/paths.h"
#include "symbol/dwarf/sections.h"
#include "symbol/dwarf/unit_ranges.h"
#include "symbol/dwarf/unit_tree.h"

struct dwarf;

/*
 * debug: a file with .debug_info, which lives longer. path: of that file. opts are copied. NULL: none of its units can
 * be read.
 */
struct dwarf *dwarf_new(const struct elf_file *debug, const char *path, const struct dwarf_opts *opts,
			struct sonde_error *err);
void dwarf_free(struct dwarf *d);

/* The files that were not found so far: those of the units that were asked for. */
const struct missing_parts *dwarf_missing_parts(const struct dwarf *d);

/* Compile units have the numbers from 0; some of them may have nothing that can be read. */
uint32_t dwarf_nr_units(const struct dwarf *d);

/*
 * The addresses of the units, sorted by start. Those of different units may overlap. A unit that does not say its
 * ranges has those of its functions. As long as the struct dwarf.
 */
const struct unit_range *dwarf_unit_ranges(struct dwarf *d, size_t *n);

/*
 * Their numbers, of those that begin closest to the address. By a table of addresses in the file if there is one and
 * it agrees with these units, so that the others are not read; else by dwarf_unit_ranges().
 */
size_t dwarf_units_at(struct dwarf *d, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX]);

/* Adds the functions of a unit to an empty tree. 0, -SONDE_NOMEM, or -SONDE_CORRUPT: all up to the damage is there. */
int dwarf_unit_tree(struct dwarf *d, uint32_t unit, struct unit_tree *tree);

/* The line program of a unit, with the sections that it refers to: views, as long as the struct dwarf. */
struct unit_lines {
	struct debug_bytes line;     /* .debug_line, of which only the program is loaded; empty: none */
	uint64_t offset;             /* in line; UINT64_MAX: the unit has no line program */
	struct debug_sections *strings;      /* .debug_str, .debug_line_str; NULL: none */
	struct debug_sections *sup_strings;  /* .debug_str of the file that dwz made; NULL: none */
	bool swap;                   /* the byte order is not the host's */
	uint8_t address_size;        /* 2, 4 or 8 */
	const char *comp_dir;        /* NULL: unknown */
};

void dwarf_unit_lines(struct dwarf *d, uint32_t unit, struct unit_lines *lines);

/* The directory in which a unit was compiled: a view, as long as the struct dwarf; NULL: unknown. */
const char *dwarf_unit_dir(struct dwarf *d, uint32_t unit);

/* Reads at once the sections that all units need, before all of them are asked for. */
void dwarf_load_all(struct dwarf *d);

/* Whether an address lies in code of the file: what the linker dropped does not. */
bool dwarf_is_code(const struct dwarf *d, uint64_t addr);

#endif
