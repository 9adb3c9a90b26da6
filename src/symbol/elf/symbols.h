/* SPDX-License-Identifier: MIT */
/* symbols.h - from ELF symbol tables to ours. */
#ifndef SYMBOL_ELF_SYMBOLS_H
#define SYMBOL_ELF_SYMBOLS_H

#include "symbol/elf/file.h"
#include "symbol/table/symtab.h"

/* The address that a symbol's value becomes. */
enum elf_address {
	ELF_FILE_OFFSET,             /* the offset of the byte in the file, by the program headers */
	ELF_VALUE,                   /* the value itself: a kernel image */
	ELF_MODULE,                  /* a relocatable kernel module: distance from where the kernel loads its text */
};

bool elf_has_symbols(const struct elf_file *f, uint32_t section_type);

/*
 * Adds the functions and objects, and the labels in code or data, of the first section of a type (SHT_SYMTAB or
 * SHT_DYNSYM). layout: the file that is run, whose program headers tell offsets (those of a separate debug file do
 * not); may be f itself. Returns where the section's names begin among those of the builder, SYMTAB_NONE if there is
 * no such section.
 */
uint32_t elf_add_symbols(struct symtab_builder *b, const struct elf_file *f, uint32_t section_type,
			 const struct elf_file *layout, enum elf_address address);

/* The value of a symbol of SHT_SYMTAB or SHT_DYNSYM; false if there is none of that name. */
bool elf_symbol_value(const struct elf_file *f, uint32_t section_type, const char *name, uint64_t *value,
		      uint64_t *size);

#endif
