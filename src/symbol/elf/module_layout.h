/* SPDX-License-Identifier: MIT */
/* module_layout.h - where the sections of a file that is not linked come to lie: as the kernel loads a module. */
#ifndef SYMBOL_ELF_MODULE_LAYOUT_H
#define SYMBOL_ELF_MODULE_LAYOUT_H

#include "symbol/elf/file.h"

/* Sections that are no code of a running module get addresses from here on: no module has so much code. */
#define MODULE_NOT_CODE UINT64_C(0x80000000)

struct module_layout {
	/* By index of the section: its distance from the start of the module; UINT64_MAX: it is not loaded. */
	uint64_t *at;
	size_t n;
};

/* 0 or -SONDE_NOMEM. */
int module_layout_read(struct module_layout *l, const struct elf_file *f);
void module_layout_free(struct module_layout *l);

/* Whether a section of a module stays in memory as code. */
static inline bool module_layout_is_code(const struct module_layout *l, size_t section)
{
	return section < l->n && l->at[section] < MODULE_NOT_CODE;
}

#endif
