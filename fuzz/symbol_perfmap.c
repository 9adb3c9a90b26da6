/* SPDX-License-Identifier: MIT */
/* Any bytes as what a just-in-time compiler says about its code. */
#include <stdlib.h>

#include "symbol/list/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab_builder b = { 0 };
	struct symtab *t;

	perfmap_add(&b, (const char *)data, size);
	t = symtab_build(&b, SYMTAB_SAME_LAST);
	for (uint32_t i = 0; t && i < t->n; i++)
		if (symtab_find(t, symtab_start(t, i)) != i || symtab_end(t, i) <= symtab_start(t, i) ||
		    !symtab_name(t, i)[0])
			abort();
	symtab_free(t);
	return 0;
}
