/* SPDX-License-Identifier: MIT */
/* Any bytes as a part of a bundle. First byte modulo 4: 0 the directory, 1 symbols, 2 lines, 3 an ELF file. */
#include <stdlib.h>
#include <string.h>

#include "bundle/entry.h"
#include "symbol/bundle_elf.h"
#include "symbol/bundle_lines.h"
#include "symbol/bundle_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ADDRESSES_MOST = 256 };

/* Larger files cost time, and consist of zeros. */
enum { FILE_MOST = 1 << 24, FILE_SIZE_AT = 8 };

static void try_entries(const uint8_t *p, size_t n)
{
	struct cursor c = cur_new(p, n, 0, host_is_big_endian(), NULL);
	struct bundle_member m;
	struct sonde_str name;

	while (cur_left(&c) && entry_decode(&c, 100, 100000, &m, &name))
		if (m.offset < 100 || m.size > 100000 - m.offset || m.raw_size > BUNDLE_RATIO_MAX * (m.size + 1))
			abort();
}

static void try_table(const uint8_t *p, size_t n)
{
	struct symtab *t = bundle_table_decode(p, n), *both;
	struct buf again = BUF_MEMORY;
	bool disagree;

	if (!t)
		return;
	for (uint32_t i = 0; i < t->n && i < ADDRESSES_MOST; i++) {
		symtab_find(t, symtab_start(t, i) + 1);
		if (strlen(symtab_linkage_name(t, i)) > n)
			abort();
	}
	both = bundle_table_merge(t, t, &disagree);
	if (disagree)
		abort();
	symtab_free(both);
	bundle_table_encode(&again, t, &(uint32_t){ 0 }, 1);
	buf_free(&again);
	symtab_free(t);
}

static void try_lines(const uint8_t *p, size_t n)
{
	struct index_answer *a = malloc(sizeof(*a));
	uint8_t *copy = malloc(n + 1);
	struct bundle_lines *l;

	if (n)
		memcpy(copy, p, n);
	l = bundle_lines_new(copy, n);
	for (size_t i = 16; l && i + 8 <= n && i < 8 * ADDRESSES_MOST; i += 8) {
		bundle_lines_find(l, load_u64(p + i, host_is_big_endian()), a);
		for (size_t k = 0; k < a->n; k++)
			if (a->frames[k].file && strlen(a->frames[k].file) > n)
				abort();
	}
	bundle_lines_free(l);
	free(a);
}

static void try_elf(const uint8_t *p, size_t n)
{
	struct elf_file f;
	uint8_t byte;

	if (n < FILE_SIZE_AT + 8 || load_u64(p + FILE_SIZE_AT, host_is_big_endian()) > FILE_MOST ||
	    bundle_elf_decode(&f, p, n) < 0)
		return;
	elf_file_read(&f, 0, &byte, 1);
	elf_file_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const uint8_t *, size_t) = { try_entries, try_table, try_lines, try_elf };

	if (size)
		tries[data[0] % 4](data + 1, size - 1);
	return 0;
}
