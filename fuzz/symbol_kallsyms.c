/* SPDX-License-Identifier: MIT */
/* Any bytes as the kernel's list of symbols. */
#include <stdlib.h>

#include "symbol/list/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms k;
	uint64_t addr;

	if (kallsyms_open(&k, (const char *)data, size) < 0)
		return 0;
	for (size_t i = 0; i < k.parts.n && i < 16; i++) {
		struct symtab_builder b = { 0 };
		size_t added = kallsyms_add(&k, &b, k.parts.at[i].module);
		struct symtab *t = symtab_build(&b, SYMTAB_SAME_BEST);

		if (t && t->n > added)
			abort();
		for (uint32_t s = 0; t && s < t->n; s++)
			if (symtab_find(t, symtab_start(t, s)) != s || !symtab_name(t, s)[0])
				abort();
		symtab_free(t);
	}
	kallsyms_is_hidden(&k);
	kallsyms_value(&k, "_text", &addr);
	kallsyms_close(&k);
	return 0;
}
