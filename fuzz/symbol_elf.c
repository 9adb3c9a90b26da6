/* SPDX-License-Identifier: MIT */
/* Any bytes as an ELF file: its tables, procedure linkage table and mini-debuginfo, and every name that comes of it. */
#include <string.h>

#include "elf_input.h"
#include "symbol/elf/eh_frame.h"
#include "symbol/elf/plt.h"
#include "symbol/elf/stapsdt.h"
#include "symbol/elf/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAMES_MAX 2000  /* demangling is the slow part, and has seen it all by then */

static int read_sdt(void *ctx, const struct stapsdt_probe *p)
{
	size_t *sum = ctx;

	*sum += strlen(p->provider.p) + strlen(p->name.p) + strlen(p->args.p);
	return 0;
}

static void add_all(struct symtab_builder *b, const struct elf_file *f)
{
	struct elf_file inner;
	uint32_t names;
	uint64_t value, size;
	size_t sum = 0;

	elf_add_symbols(b, f, SHT_SYMTAB, f, f->ehdr.e_type == ET_REL ? ELF_MODULE : ELF_FILE_OFFSET);
	names = elf_add_symbols(b, f, SHT_DYNSYM, f, ELF_VALUE);
	if (elf_file_open_debugdata(&inner, f, NULL) == 0) {
		elf_add_symbols(b, &inner, SHT_SYMTAB, f, ELF_FILE_OFFSET);
		elf_file_close(&inner);
	}
	elf_add_plt(b, f, names);
	eh_frame_add(b, f);
	stapsdt_each(f, read_sdt, &sum);
	elf_symbol_value(f, SHT_SYMTAB, "_text", &value, &size);
	elf_symbol_value(f, SHT_DYNSYM, "_text", &value, &size);
}

static void use(struct symtab *t)
{
	for (uint32_t i = 0; i < t->n && i < NAMES_MAX; i++) {
		uint32_t found = symtab_find(t, symtab_start(t, i));

		if (found == SYMTAB_NONE || symtab_start(t, found) != symtab_start(t, i) || !symtab_name(t, i))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab_builder b = { 0 };
	struct elf_file f;
	struct symtab *t;

	if (elf_input_open(&f, data, size) < 0)
		return 0;
	add_all(&b, &f);
	elf_file_close(&f);
	t = symtab_build(&b, SYMTAB_SAME_BEST);
	if (t)
		use(t);
	symtab_free(t);
	return 0;
}
