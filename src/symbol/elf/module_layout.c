/* SPDX-License-Identifier: MIT */
#include "symbol/elf/module_layout.h"

#include <stdlib.h>
#include <string.h>

/* Code in the order of its sections; that for initialisation lies apart, and is gone when the module runs. */
static bool stays(const GElf_Shdr *sh, const char *name)
{
	return sh->sh_flags & SHF_ALLOC && sh->sh_flags & SHF_EXECINSTR && strncmp(name, ".init", 5) != 0;
}

static void place(struct module_layout *l, const struct elf_file *f, size_t names)
{
	uint64_t end = 0;
	GElf_Shdr sh;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(f->elf, s));) {
		size_t i = elf_ndxscn(s);
		const char *name;
		uint64_t align, at;

		if (i >= l->n || !gelf_getshdr(s, &sh))
			continue;
		name = elf_strptr(f->elf, names, sh.sh_name);
		if (!stays(&sh, name ? name : "")) {
			l->at[i] = sh.sh_flags & SHF_ALLOC ? MODULE_NOT_CODE : UINT64_MAX;
			continue;
		}
		align = sh.sh_addralign ? sh.sh_addralign : 1;
		at = (end + align - 1) / align * align;
		if (at < end || at >= MODULE_NOT_CODE || sh.sh_size > MODULE_NOT_CODE - at)
			continue;
		l->at[i] = at;
		end = at + sh.sh_size;
	}
}

int module_layout_read(struct module_layout *l, const struct elf_file *f)
{
	size_t names;

	*l = (struct module_layout){ 0 };
	if (elf_getshdrnum(f->elf, &l->n) < 0 || elf_getshdrstrndx(f->elf, &names) < 0)
		l->n = names = 0;
	l->at = malloc((l->n + 1) * sizeof(*l->at));
	if (!l->at)
		return -SONDE_NOMEM;
	for (size_t i = 0; i <= l->n; i++)
		l->at[i] = MODULE_NOT_CODE;
	place(l, f, names);
	return 0;
}

void module_layout_free(struct module_layout *l)
{
	free(l->at);
	*l = (struct module_layout){ 0 };
}
