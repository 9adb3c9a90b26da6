/* SPDX-License-Identifier: MIT */
/* Any bytes as an ELF file with DWARF: the type that each instruction of its functions touches. */

#include "elf_input.h"
#include "symbol/elf/symbols.h"
#include "symbol/types/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Looks of a file; each of them may take as many steps as the file has. */
enum { LOOKS_MAX = 2000 };

static void look_at_all(struct types *t, const struct symtab *table)
{
	struct buf type = BUF_MEMORY, member = BUF_MEMORY;
	struct types_access access = { .type = &type, .member = &member };
	size_t looks = 0;

	for (uint32_t i = 0; i < table->n; i++)
		for (uint64_t at = symtab_start(table, i); at < symtab_end(table, i) && looks++ < LOOKS_MAX; at++) {
			type.n = member.n = 0;
			types_find(t, at, TYPES_FUSE_ALL, &access);
			if (access.kind == TYPES_TYPE && !type.n)
				abort();
		}
	buf_free(&type);
	buf_free(&member);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab_builder b = { 0 };
	struct elf_file f;
	struct symtab *table;
	struct types *t;

	if (elf_input_open(&f, data, size) < 0)
		return 0;
	elf_add_symbols(&b, &f, SHT_SYMTAB, &f, ELF_FILE_OFFSET);
	table = symtab_build(&b, SYMTAB_SAME_BEST);
	t = table ? types_new(&f, NULL, table) : NULL;
	if (t)
		look_at_all(t, table);
	types_free(t);
	symtab_free(table);
	elf_file_close(&f);
	return 0;
}
