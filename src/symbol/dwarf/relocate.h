/* SPDX-License-Identifier: MIT */
/* relocate.h - debug sections of a file that is not linked: a kernel module or an object file. */
#ifndef SYMBOL_DWARF_RELOCATE_H
#define SYMBOL_DWARF_RELOCATE_H

#include "symbol/elf/file.h"

/*
 * Applies the relocations of a section to its n bytes, with the addresses of symbol/elf/module_layout.h. Relocations
 * of an unknown type or beyond the end are left out. A linked file has none to apply.
 */
void debug_relocate(const struct elf_file *f, size_t section, uint8_t *bytes, size_t n);

#endif
