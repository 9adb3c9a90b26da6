/* SPDX-License-Identifier: MIT */
#include "symbol/elf/loads.h"

/*
 * objcopy --only-keep-debug leaves code without bytes at offset 0. The linkers of binutils had put it as far from the
 * first segment as it is in memory. lld's offsets stay.
 */
static bool has_lost_offsets(const struct elf_loads *l, const GElf_Phdr *ph)
{
	return ph->p_flags & PF_X && !ph->p_filesz && !ph->p_offset && l->n && ph->p_vaddr > l->at[0].vaddr;
}

static void guess_offsets(struct elf_loads *l)
{
	uint64_t first = l->at[0].vaddr & ~UINT64_C(0xfff);

	for (size_t i = 1; i < l->n; i++)
		l->at[i].offset = l->at[i].vaddr - first;
}

void elf_loads_read(struct elf_loads *l, const struct elf_file *f)
{
	GElf_Phdr ph;
	size_t n;

	l->n = 0;
	l->guessed = false;
	if (elf_getphdrnum(f->elf, &n) < 0)
		return;
	for (size_t i = 0; i < n && l->n < ELF_LOADS_MAX; i++)
		if (gelf_getphdr(f->elf, (int)i, &ph) && ph.p_type == PT_LOAD) {
			l->guessed = l->guessed || has_lost_offsets(l, &ph);
			l->at[l->n++] = (struct elf_load){ ph.p_vaddr, ph.p_memsz, ph.p_offset + f->offset };
		}
	if (l->guessed)
		guess_offsets(l);
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
