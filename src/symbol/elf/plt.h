/* SPDX-License-Identifier: MIT */
/* plt.h - the entries of the procedure linkage table as symbols */
#ifndef SYMBOL_ELF_PLT_H
#define SYMBOL_ELF_PLT_H

#include "symbol/elf/file.h"
#include "symbol/table/symtab.h"

/*
 * Adds the entries of the procedure linkage table; after the symbols, as some are named after those. names: what
 * elf_add_symbols() returned for .dynsym, SYMTAB_NONE if it was not added.
 */
void elf_add_plt(struct symtab_builder *b, const struct elf_file *f, uint32_t names);

#endif
