/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbol/bundle_elf.h"
#include "symbol/bundle_lines.h"
#include "symbol/bundle_table.h"

static void add(struct symtab_builder *b, uint64_t start, uint32_t size, const char *name)
{
	symtab_builder_add(b, &(struct symtab_raw){ .start = start, .size = size,
						    .name = symtab_builder_name(b, name, strlen(name)) });
}

/* 10-100 outer, 20-80 middle in it, 30-40 inner in that, 200-210 last */
static struct symtab *nested(void)
{
	struct symtab_builder b = { 0 };
	struct symtab *t;

	add(&b, 0x10, 0xf0, "outer");
	add(&b, 0x20, 0x60, "middle");
	add(&b, 0x30, 0x10, "inner");
	add(&b, 0x200, 0x10, "last");
	t = symtab_build(&b, SYMTAB_SAME_BEST);
	assert_non_null(t);
	assert_int_equal(t->n, 4);
	t->bias = 0x1000;
	return t;
}

static const char *name_at(const struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	return i == SYMTAB_NONE ? "none" : symtab_linkage_name(t, i);
}

static void test_table(void **state)
{
	static const uint8_t all_bytes[] = {
		1, 0, 0, 0, 2, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0,
		0x10, 0, 0, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0, 0, 0, 0,
		0xf0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
		0x10, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
		'o', 'u', 't', 'e', 'r', 0, 'i', 'n', 'n', 'e', 'r', 0,
	};
	static const uint32_t used[] = { 0, 2 };
	struct symtab *t = nested(), *got;
	struct buf b = BUF_MEMORY;

	(void)state;
	bundle_table_encode(&b, t, used, 2);
	assert_int_equal(b.n, sizeof(all_bytes));
	assert_memory_equal(b.p, all_bytes, sizeof(all_bytes));  /* on every host */
	got = bundle_table_decode((const uint8_t *)b.p, b.n);
	assert_non_null(got);
	assert_string_equal(name_at(got, 0x1035), "inner");
	/* the function between was not needed: what is around it has the address */
	assert_string_equal(name_at(got, 0x1050), "outer");
	assert_string_equal(name_at(got, 0x1205), "none");
	symtab_free(got);
	for (size_t n = 0; n < b.n; n++)
		assert_null(bundle_table_decode((const uint8_t *)b.p, n));
	symtab_free(t);
	buf_free(&b);
}

/* Starts that fall, an outer symbol that comes later, a name outside the names: no table. */
static void test_hostile_table(void **state)
{
	static const struct { size_t at; uint8_t value; } lies[] = {
		{ 0, 2 }, { 4, 0 }, { 4, 255 }, { 7, 255 }, { 8, 11 }, { 12, 255 }, { 32, 0x10 }, { 32, 0 },
		{ 60, 1 }, { 60, 2 }, { 57, 1 }, { 44, 200 },
	};
	static const uint32_t used[] = { 0, 2 };
	struct symtab *t = nested();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		struct buf b = BUF_MEMORY;

		bundle_table_encode(&b, t, used, 2);
		b.p[lies[i].at] = (char)lies[i].value;
		assert_null(bundle_table_decode((const uint8_t *)b.p, b.n));
		buf_free(&b);
	}
	symtab_free(t);
}

static void test_merge(void **state)
{
	struct symtab_builder b = { 0 };
	struct symtab *t = nested(), *other, *both;
	bool disagree;

	(void)state;
	add(&b, 0x1200, 0x10, "not last");
	add(&b, 0x1300, 0x10, "further");
	other = symtab_build(&b, SYMTAB_SAME_BEST);
	both = bundle_table_merge(t, other, &disagree);
	assert_true(disagree);
	assert_string_equal(name_at(both, 0x1205), "last");
	assert_string_equal(name_at(both, 0x1305), "further");
	assert_string_equal(name_at(both, 0x1035), "inner");
	symtab_free(both);
	both = bundle_table_merge(t, t, &disagree);
	assert_false(disagree);
	assert_int_equal(both->n, 4);
	symtab_free(both);
	symtab_free(other);
	symtab_free(t);
}

static void test_lines(void **state)
{
	const struct source_frame frames[] = { { "leaf", "a.c", 7, 3 }, { "root", NULL, 9, 0 } };
	struct bundle_lines_writer w = { 0 };
	struct index_answer *a = malloc(sizeof(*a));
	struct buf b = BUF_MEMORY;
	struct bundle_lines *l;
	uint8_t *copy;

	(void)state;
	assert_int_equal(bundle_lines_add(&w, 0x1000, frames, 2), 0);
	assert_int_equal(bundle_lines_add(&w, UINT64_MAX, frames + 1, 1), 0);
	bundle_lines_encode(&b, &w);
	bundle_lines_writer_free(&w);
	assert_int_equal((uint8_t)b.p[16 + 1], 0x10);   /* the first address, in little-endian order */
	for (size_t n = 0; n <= b.n; n++) {
		copy = malloc(n + 1);
		assert_non_null(copy);
		memcpy(copy, b.p, n);
		l = bundle_lines_new(copy, n);
		assert_true((n == b.n) == (l != NULL));
		if (!l)
			continue;
		bundle_lines_find(l, 0x1000, a);
		assert_int_equal(a->n, 2);
		assert_string_equal(a->frames[0].function, "leaf");
		assert_string_equal(a->frames[0].file, "a.c");
		assert_int_equal(a->frames[0].line, 7);
		assert_int_equal(a->frames[0].column, 3);
		assert_null(a->frames[1].file);
		bundle_lines_find(l, UINT64_MAX, a);
		assert_int_equal(a->n, 1);
		assert_string_equal(a->frames[0].function, "root");
		bundle_lines_find(l, 0x1001, a);
		assert_int_equal(a->n, 0);
		bundle_lines_find(l, 0, a);
		assert_int_equal(a->n, 0);
		bundle_lines_free(l);
	}
	buf_free(&b);
	free(a);
}

/* This very program: its headers and the wanted bytes come back, other bytes are not there. */
static void test_elf(void **state)
{
	struct elf_part wanted = { 0x1010, 0x1020 };
	struct elf_file f, parts;
	struct buf b = BUF_MEMORY;
	uint8_t here[16], there[16];

	(void)state;
	assert_int_equal(elf_file_open(&f, "/proc/self/exe", NULL), 0);
	assert_true(bundle_elf_encode(&b, &f, false, &wanted, 1));
	assert_int_equal(bundle_elf_decode(&parts, (const uint8_t *)b.p, b.n), 0);
	assert_int_equal(parts.ehdr.e_machine, f.ehdr.e_machine);
	assert_int_equal(parts.ehdr.e_shnum, f.ehdr.e_shnum);
	assert_true(elf_file_read(&f, 0x1010, here, sizeof(here)));
	assert_true(elf_file_read(&parts, 0x1010, there, sizeof(there)));
	assert_memory_equal(here, there, sizeof(here));
	elf_file_close(&parts);
	assert_int_equal(bundle_elf_decode(&parts, (const uint8_t *)b.p, b.n - 1), -SONDE_CORRUPT);
	b.p[0] = 2;
	assert_int_equal(bundle_elf_decode(&parts, (const uint8_t *)b.p, b.n), -SONDE_CORRUPT);
	elf_file_close(&f);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_hostile_table), cmocka_unit_test(test_merge),
		cmocka_unit_test(test_lines), cmocka_unit_test(test_elf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
