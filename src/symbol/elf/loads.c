/* SPDX-License-Identifier: MIT */
#include "symbol/elf/loads.h"

void elf_loads_read(struct elf_loads *l, const struct elf_file *f)
{
	GElf_Phdr ph;
	size_t n;

	l->n = 0;
	if (elf_getphdrnum(f->elf, &n) < 0)
		return;
	for (size_t i = 0; i < n && l->n < ELF_LOADS_MAX; i++)
		if (gelf_getphdr(f->elf, (int)i, &ph) && ph.p_type == PT_LOAD)
			l->at[l->n++] = (struct elf_load){ ph.p_vaddr, ph.p_memsz, ph.p_offset };
}

bool elf_loads_offset(const struct elf_loads *l, uint64_t *addr)
{
	for (size_t i = 0; i < l->n; i++)
		if (*addr - l->at[i].vaddr < l->at[i].size) {
			*addr += l->at[i].offset - l->at[i].vaddr;
			return true;
		}
	return false;
}

bool elf_loads_address(const struct elf_loads *l, uint64_t offset, uint64_t *addr)
{
	for (size_t i = 0; i < l->n; i++)
		if (offset - l->at[i].offset < l->at[i].size) {
			*addr = offset - l->at[i].offset + l->at[i].vaddr;
			return true;
		}
	return false;
}
