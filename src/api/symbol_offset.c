/* SPDX-License-Identifier: MIT */
#include "api/symbol_offset.h"

#include "record/host/tracefs.h"
#include "symbol/elf/file.h"
#include "symbol/elf/loads.h"
#include "symbol/elf/symbols.h"
#include "symbol/list/kallsyms.h"

int symbol_offset_of_file(const char *file, const char *name, uint64_t *offset, uint64_t *size)
{
	struct elf_file f = { 0 };
	struct elf_loads loads = { 0 };
	int r = elf_file_open(&f, file, NULL);

	if (r < 0)
		return r;
	elf_loads_read(&loads, &f);
	if ((!elf_symbol_value(&f, SHT_SYMTAB, name, offset, size) &&
	     !elf_symbol_value(&f, SHT_DYNSYM, name, offset, size)) ||
	    !elf_loads_offset(&loads, offset))
		r = -SONDE_MISSING;
	elf_file_close(&f);
	return r;
}

int symbol_address_in_kernel(const char *name, uint64_t *addr)
{
	struct buf text = BUF_MEMORY;
	struct kallsyms k = { 0 };
	int r = tracefs_read(&text, "/proc", "kallsyms");

	r = r < 0 || text.failed ? -SONDE_MISSING : kallsyms_open(&k, text.p, text.n);
	if (r == 0 && !kallsyms_value(&k, name, addr))
		r = -SONDE_MISSING;
	else if (r == 0 && *addr == 0)
		r = -SONDE_DENIED;
	kallsyms_close(&k);
	buf_free(&text);
	return r;
}
