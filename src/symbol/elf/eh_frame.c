/* SPDX-License-Identifier: MIT */
#include "symbol/elf/eh_frame.h"

#include "symbol/elf/cfi.h"
#include "symbol/elf/loads.h"

static size_t add_range(struct symtab_builder *b, const struct elf_loads *loads, struct cfi_fde *fde, uint32_t name)
{
	uint64_t start = fde->start;

	if (!elf_loads_offset(loads, &start))
		return 0;
	symtab_builder_add(b, &(struct symtab_raw){ .start = start, .size = (uint32_t)fde->size, .name = name });
	return 1;
}

size_t eh_frame_add(struct symtab_builder *b, const struct elf_file *f)
{
	struct cfi_section s;
	struct elf_loads loads;
	uint32_t name = symtab_builder_name(b, "", 0);
	struct cfi_entry entry;
	struct cfi_fde fde;
	size_t n = 0;

	if (name == SYMTAB_NONE || !cfi_section_open(&s, f, ".eh_frame"))
		return 0;
	elf_loads_read(&loads, f);
	for (uint32_t at = 0; cfi_entry_at(&s, at, &entry); at = entry.next)
		if (!entry.is_cie && cfi_fde_read(&s, &entry, &fde))
			n += add_range(b, &loads, &fde, name);
	return n;
}
