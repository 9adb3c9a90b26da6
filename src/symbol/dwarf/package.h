/* SPDX-License-Identifier: MIT */
/* package.h - a .dwp file: the .dwo files of a program, with an index of their units. */
#ifndef SYMBOL_DWARF_PACKAGE_H
#define SYMBOL_DWARF_PACKAGE_H

#include "symbol/dwarf/unit.h"

/* {0} is closed. */
struct package {
	struct elf_file elf;
	struct debug_sections sections;
};

/* False: it is no package. */
bool package_open(struct package *p, const char *path);
void package_close(struct package *p);

static inline bool package_is_open(const struct package *p)
{
	return p->sections.open;
}

/*
 * Makes a debug file of the parts of the sections that belong to the unit of an id. Its units are not read yet. The
 * package lives longer. 0, or -SONDE_MISSING: the package has no such unit.
 */
int package_unit(struct package *p, uint64_t id, struct debug_file *file);

#endif
