/* SPDX-License-Identifier: MIT */
/* loads.h - from an address that a linked file speaks of to the offset of that byte in the file, and back. */
#ifndef SYMBOL_ELF_LOADS_H
#define SYMBOL_ELF_LOADS_H

#include "symbol/elf/file.h"

/* Segments that are looked at; a real file has about four. */
#define ELF_LOADS_MAX 64

struct elf_loads {
	struct elf_load { uint64_t vaddr, size, offset; } at[ELF_LOADS_MAX];
	size_t n;
	bool guessed;                /* offsets of a debug file, which has lost those of the file that ran */
};

void elf_loads_read(struct elf_loads *l, const struct elf_file *f);

/* False, and *addr as it was, for an address that no segment has. */
bool elf_loads_offset(const struct elf_loads *l, uint64_t *addr);

/* The address of the byte at an offset; false if no segment has it. */
bool elf_loads_address(const struct elf_loads *l, uint64_t offset, uint64_t *addr);

#endif
