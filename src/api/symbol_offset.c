/* SPDX-License-Identifier: MIT */
#include "api/symbol_offset.h"

#include "symbol/elf/file.h"
#include "symbol/elf/loads.h"
#include "symbol/elf/symbols.h"

int symbol_offset_of_file(const char *file, const char *name, uint64_t *offset)
{
	struct elf_file f = { 0 };
	struct elf_loads loads = { 0 };
	int r = elf_file_open(&f, file, NULL);

	if (r < 0)
		return r;
	elf_loads_read(&loads, &f);
	if ((!elf_symbol_value(&f, SHT_SYMTAB, name, offset) && !elf_symbol_value(&f, SHT_DYNSYM, name, offset)) ||
	    !elf_loads_offset(&loads, offset))
		r = -SONDE_MISSING;
	elf_file_close(&f);
	return r;
}
