/* SPDX-License-Identifier: MIT */
/* supplement.h - the file with the entries and strings that dwz found in several debug files. */
#ifndef SYMBOL_DWARF_SUPPLEMENT_H
#define SYMBOL_DWARF_SUPPLEMENT_H

#include "symbol/dwarf/missing_parts.h"
#include "symbol/dwarf/paths.h"

/*
 * Opens the file that .gnu_debugaltlink or .debug_sup of a debug file names, if its id is the one that stands there.
 * 0, -SONDE_MISSING: it was not found, and `missing` says so, or -SONDE_STOPPED: there is no such section.
 */
int supplement_open(struct elf_file *out, const struct elf_file *f, const struct dwarf_paths *p,
		    struct missing_parts *missing);

#endif
