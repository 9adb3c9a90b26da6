/* SPDX-License-Identifier: MIT */
/* Handmade sections of .sframe: each machine, both versions, and every shorter beginning of them. */
#include "unwind/sframe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "unwind/table.h"

#define ADDR 0x10000

enum { MOST = 512, HEADER = 28, ROWS_MOST = 8 };
enum { SORTED = 1, FROM_FIELD = 4, REPEATS = 0x10, SIGNAL = 0x80, FLEXIBLE = 1 };

struct sframe_bytes {
	uint8_t at[MOST];
	size_t n;
	bool big;
};

static void put(struct sframe_bytes *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->at[b->n++] = (uint8_t)(v >> 8 * (b->big ? size - 1 - i : i));
}

/* The header; lengths that are not known yet are filled in by finish(). */
static void begin(struct sframe_bytes *b, uint8_t version, uint8_t flags, uint8_t abi, int8_t fixed_ra,
		  uint32_t nr_functions)
{
	put(b, 0xdee2, 2);
	put(b, version, 1);
	put(b, flags, 1);
	put(b, abi, 1);
	put(b, 0, 1);
	put(b, (uint8_t)fixed_ra, 1);
	put(b, 4, 1);                /* an auxiliary header of four bytes */
	put(b, nr_functions, 4);
	put(b, 0, 4);
	put(b, 0, 4);                /* bytes of rows */
	put(b, 0, 4);
	put(b, nr_functions * (version == 2 ? 20 : 16), 4);
	put(b, 0, 4);
}

static void finish(struct sframe_bytes *b, size_t rows_at)
{
	struct sframe_bytes size = { .big = b->big };

	put(&size, b->n - rows_at, 4);
	memcpy(b->at + 16, size.at, 4);
}

static void put_function(struct sframe_bytes *b, int64_t start, uint32_t size, uint32_t rows, uint32_t nr, uint8_t info,
			 uint8_t repeat)
{
	put(b, (uint64_t)start, 4);
	put(b, size, 4);
	put(b, rows, 4);
	put(b, nr, 4);
	put(b, info, 1);
	put(b, repeat, 1);
	put(b, 0, 2);
}

static struct cfi_section section_of(const struct sframe_bytes *b)
{
	return (struct cfi_section){ .bytes = b->at, .size = b->n, .addr = ADDR, .wide = true,
				     .swap = b->big != host_is_big_endian() };
}

struct seen_rows {
	struct { uint64_t start, end; struct cfi_row row; } at[ROWS_MOST];
	size_t n;
};

static int take(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct seen_rows *s = ctx;

	assert_true(s->n < ROWS_MOST);
	s->at[s->n].start = start;
	s->at[s->n].end = end;
	s->at[s->n++].row = *row;
	return 0;
}

/* The rows of function @index. */
static void rows_of(const struct sframe_bytes *b, uint16_t machine, uint32_t index, struct sframe_function *f,
		    struct seen_rows *s)
{
	const struct cfi_section section = section_of(b);
	struct sframe x;

	*s = (struct seen_rows){ 0 };
	assert_true(sframe_open(&x, &section, machine));
	assert_true(sframe_function(&x, index, f));
	assert_int_equal(sframe_rows(&x, f, take, s), 0);
}

static void expect_reg(const struct cfi_row *row, unsigned reg, enum reg_rule_kind kind, int32_t value)
{
	assert_int_equal(row->regs[reg].kind, kind);
	if (kind != REG_SAME)
		assert_int_equal(row->regs[reg].value, value);
}

static void expect_cfa(const struct cfi_row *row, uint8_t reg, int32_t offset)
{
	assert_int_equal(row->cfa_reg, reg);
	assert_int_equal(row->cfa_offset, offset);
	assert_false(row->cfa_in_memory);
}

/* push %rbp; mov %rsp, %rbp; a PLT; _start */
static void x86_2(struct sframe_bytes *b)
{
	size_t rows;

	begin(b, 2, SORTED, 3, -8, 3);
	put_function(b, -0x100, 0x40, 0, 3, 0, 0);
	put_function(b, 0x200, 0x30, 10, 2, REPEATS, 16);
	put_function(b, 0x300, 0x300, 16, 1, 1, 0);
	rows = b->n;
	put(b, 0x00, 1); put(b, 0x03, 1); put(b, 8, 1);                       /* sp + 8 */
	put(b, 0x01, 1); put(b, 0x05, 1); put(b, 16, 1); put(b, 0xf0, 1);     /* sp + 16, rbp at -16 */
	put(b, 0x04, 1); put(b, 0x02, 1); put(b, 16, 1);                      /* rbp + 16 */
	put(b, 0x00, 1); put(b, 0x03, 1); put(b, 8, 1);
	put(b, 0x0b, 1); put(b, 0x03, 1); put(b, 16, 1);
	put(b, 0x00, 2); put(b, 0x01, 1);                                     /* nothing called it */
	finish(b, rows);
}

static void test_x86_64(void **state)
{
	struct sframe_bytes b = { 0 };
	struct sframe_function f;
	struct seen_rows s;

	(void)state;
	x86_2(&b);
	rows_of(&b, EM_X86_64, 0, &f, &s);
	assert_int_equal(f.start, ADDR - 0x100);
	assert_int_equal(f.size, 0x40);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.at[0].start, ADDR - 0x100);
	assert_int_equal(s.at[1].start, ADDR - 0xff);
	assert_int_equal(s.at[1].end, ADDR - 0xfc);
	assert_int_equal(s.at[2].end, ADDR - 0xc0);
	expect_cfa(&s.at[0].row, 7, 8);
	expect_reg(&s.at[0].row, 16, REG_OFFSET, -8);
	expect_reg(&s.at[0].row, 6, REG_SAME, 0);
	expect_reg(&s.at[0].row, 3, REG_UNDEFINED, 0);
	expect_cfa(&s.at[1].row, 7, 16);
	expect_reg(&s.at[1].row, 6, REG_OFFSET, -16);
	expect_cfa(&s.at[2].row, 6, 16);
	rows_of(&b, EM_X86_64, 1, &f, &s);
	assert_int_equal(f.repeat, 16);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.at[1].start, ADDR + 0x20b);
	assert_int_equal(s.at[1].end, ADDR + 0x210);
	rows_of(&b, EM_X86_64, 2, &f, &s);
	assert_int_equal(s.n, 1);
	expect_reg(&s.at[0].row, 16, REG_UNDEFINED, 0);
}

/* stp x29, x30, [sp, #-32]! and a leaf, with starts that count from their field */
static void test_aarch64(void **state)
{
	struct sframe_bytes b = { 0 };
	struct sframe_function f;
	struct seen_rows s;
	size_t rows;

	(void)state;
	begin(&b, 2, SORTED | FROM_FIELD, 2, 0, 1);
	put_function(&b, 0x1000, 0x20, 0, 3, 0, 0);
	rows = b.n;
	put(&b, 0x00, 1); put(&b, 0x03, 1); put(&b, 0, 1);
	put(&b, 0x04, 1); put(&b, 0x87, 1); put(&b, 32, 1); put(&b, 0xe8, 1); put(&b, 0xe0, 1);  /* 0x80: is signed */
	put(&b, 0x08, 1); put(&b, 0x06, 1); put(&b, 32, 1); put(&b, 0xe8, 1); put(&b, 0xe0, 1);
	finish(&b, rows);
	rows_of(&b, EM_AARCH64, 0, &f, &s);
	assert_int_equal(f.start, ADDR + HEADER + 4 + 0x1000);
	assert_int_equal(s.n, 3);
	expect_cfa(&s.at[0].row, 31, 0);
	expect_reg(&s.at[0].row, 30, REG_SAME, 0);
	expect_cfa(&s.at[1].row, 31, 32);
	expect_reg(&s.at[1].row, 30, REG_OFFSET, -24);
	expect_reg(&s.at[1].row, 29, REG_OFFSET, -32);
	expect_cfa(&s.at[2].row, 29, 32);
}

/* Offsets from the CFA are smaller there, and leaves save registers in other registers. */
static void test_s390x(void **state)
{
	struct sframe_bytes b = { .big = true };
	struct sframe_function f;
	struct seen_rows s;
	size_t rows;

	(void)state;
	begin(&b, 2, SORTED, 4, 0, 1);
	put_function(&b, 0x80, 0x40, 0, 4, 0, 0);
	rows = b.n;
	put(&b, 0, 1); put(&b, 0x03, 1); put(&b, 0, 1);
	put(&b, 4, 1); put(&b, 0x05, 1); put(&b, 20, 1); put(&b, 0xd0, 1);
	put(&b, 8, 1); put(&b, 0x07, 1); put(&b, 20, 1); put(&b, 0, 1); put(&b, 0xb8, 1);
	put(&b, 12, 1); put(&b, 0x07, 1); put(&b, 0, 1); put(&b, 17 << 1 | 1, 1); put(&b, 16 << 1 | 1, 1);
	finish(&b, rows);
	rows_of(&b, EM_S390, 0, &f, &s);
	assert_int_equal(s.n, 4);
	expect_cfa(&s.at[0].row, 15, 160);
	expect_reg(&s.at[0].row, 14, REG_SAME, 0);
	expect_cfa(&s.at[1].row, 15, 320);
	expect_reg(&s.at[1].row, 14, REG_OFFSET, -48);
	expect_reg(&s.at[2].row, 14, REG_SAME, 0);
	expect_reg(&s.at[2].row, 11, REG_OFFSET, -72);
	expect_reg(&s.at[3].row, 14, REG_REGISTER, 17);
	expect_reg(&s.at[3].row, 11, REG_REGISTER, 16);
}

/* and $-32, %rsp: the CFA is in memory below rbp; the second function is a signal handler's */
static void test_version_3(void **state)
{
	struct sframe_bytes b = { 0 };
	struct sframe_function f;
	struct seen_rows s;
	size_t rows;

	(void)state;
	begin(&b, 3, SORTED | FROM_FIELD, 3, -8, 2);
	put(&b, 0x100, 8); put(&b, 0x40, 4); put(&b, 0, 4);
	put(&b, (uint64_t)-0x100, 8); put(&b, 0x10, 4); put(&b, 19, 4);
	rows = b.n;
	put(&b, 2, 2); put(&b, 0, 1); put(&b, FLEXIBLE, 1); put(&b, 0, 1);
	put(&b, 0, 1); put(&b, 4 << 1, 1); put(&b, 10 << 3 | 1, 1); put(&b, 0, 1);  /* r10 + 0, pads for ra and fp */
	put(&b, 0, 1); put(&b, 0, 1);
	put(&b, 9, 1); put(&b, 6 << 1, 1); put(&b, 6 << 3 | 3, 1); put(&b, 0xf8, 1);  /* *(rbp - 8) */
	put(&b, 2, 1); put(&b, 0xf8, 1); put(&b, 6 << 3 | 3, 1); put(&b, 0, 1);       /* *(CFA - 8), *rbp */
	assert_int_equal(b.n - rows, 19);
	put(&b, 1, 2); put(&b, SIGNAL, 1); put(&b, 0, 1); put(&b, 0, 1);
	put(&b, 0, 1); put(&b, 0x03, 1); put(&b, 8, 1);
	finish(&b, rows);
	rows_of(&b, EM_X86_64, 0, &f, &s);
	assert_int_equal(f.start, ADDR + HEADER + 4 + 0x100);
	assert_false(f.signal);
	assert_int_equal(s.n, 2);
	expect_cfa(&s.at[0].row, 10, 0);
	expect_reg(&s.at[0].row, 16, REG_OFFSET, -8);
	expect_reg(&s.at[0].row, 6, REG_SAME, 0);
	assert_int_equal(s.at[1].row.cfa_reg, 6);
	assert_int_equal(s.at[1].row.cfa_offset, -8);
	assert_true(s.at[1].row.cfa_in_memory);
	expect_reg(&s.at[1].row, 16, REG_OFFSET, -8);
	expect_reg(&s.at[1].row, 6, REG_AT_REGISTER, 0);
	assert_int_equal(s.at[1].row.regs[6].base, 6);
	rows_of(&b, EM_X86_64, 1, &f, &s);
	assert_int_equal(f.start, ADDR + HEADER + 4 + 16 - 0x100);
	assert_true(f.signal);
	expect_cfa(&s.at[0].row, 7, 8);
}

static bool opens(const struct sframe_bytes *b, uint16_t machine)
{
	const struct cfi_section section = section_of(b);
	struct sframe x;

	return sframe_open(&x, &section, machine);
}

static void test_unknown(void **state)
{
	struct sframe_bytes b = { 0 }, other;

	(void)state;
	x86_2(&b);
	assert_true(opens(&b, EM_X86_64));
	assert_false(opens(&b, EM_AARCH64));
	for (unsigned version = 0; version < 256; version++) {
		other = b;
		other.at[2] = (uint8_t)version;
		if (version != 2 && version != 3)
			assert_false(opens(&other, EM_X86_64));
	}
	other = b;
	other.at[3] |= 8;
	assert_false(opens(&other, EM_X86_64));
	other = b;
	other.big = true;            /* the file's order is not the section's */
	assert_false(opens(&other, EM_X86_64));
}

/* Exact copies, so that a sanitizer sees a read past the end; and every byte once damaged. */
static void test_damaged(void **state)
{
	struct sframe_bytes b = { 0 };

	(void)state;
	x86_2(&b);
	for (size_t n = 0; n <= 2 * b.n; n++) {
		size_t size = n <= b.n ? n : b.n;
		uint8_t *copy = malloc(size ? size : 1);
		struct cfi_section section = section_of(&b);
		struct sframe x;
		struct sframe_function f;

		assert_non_null(copy);
		memcpy(copy, b.at, size);
		if (n > b.n)
			copy[n - b.n - 1] ^= 0xff;
		section.bytes = copy;
		section.size = size;
		if (sframe_open(&x, &section, EM_X86_64))
			for (uint32_t i = 0; i < x.nr_functions; i++) {
				struct seen_rows s = { 0 };

				if (sframe_function(&x, i, &f) && f.nr_rows <= ROWS_MOST)
					sframe_rows(&x, &f, take, &s);
			}
		else
			assert_true(size < b.n || n - b.n <= HEADER);
		free(copy);
	}
}

/* An ELF file of x86-64 that has one segment, and the bytes of @section in it at SECTION_AT. */
static void put_elf(struct sframe_bytes *b, const struct sframe_bytes *section)
{
	enum { EHDR = 64, PHDR = 56, SECTION_AT = EHDR + PHDR };
	static const uint8_t ident[EI_NIDENT] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
						  EV_CURRENT };

	memcpy(b->at, ident, sizeof(ident));
	b->n = sizeof(ident);
	put(b, ET_DYN, 2); put(b, EM_X86_64, 2); put(b, EV_CURRENT, 4);
	put(b, 0, 8); put(b, EHDR, 8); put(b, 0, 8);                          /* entry, program and section headers */
	put(b, 0, 4); put(b, EHDR, 2); put(b, PHDR, 2); put(b, 1, 2); put(b, 0, 2); put(b, 0, 2); put(b, 0, 2);
	put(b, 0x6474e554, 4); put(b, PF_R, 4);
	put(b, SECTION_AT, 8); put(b, ADDR, 8); put(b, ADDR, 8); put(b, section->n, 8); put(b, section->n, 8);
	put(b, 8, 8);
	memcpy(b->at + b->n, section->at, section->n);
	b->n += section->n;
}

/* The table of a file whose section headers were stripped, and whose last @cut bytes are missing. */
static bool open_segment(struct elf_file *f, struct unwind_table *t, size_t cut)
{
	struct sframe_bytes section = { 0 }, b = { 0 };
	void *copy;

	x86_2(&section);
	put_elf(&b, &section);
	copy = malloc(b.n - cut);
	assert_non_null(copy);
	memcpy(copy, b.at, b.n - cut);
	assert_int_equal(elf_file_open_memory(f, copy, b.n - cut, NULL), 0);
	return unwind_table_open_sframe(t, f);
}

/* PT_GNU_SFRAME says where the table is. */
static void test_segment(void **state)
{
	const struct cfi_section *section;
	const struct unwind_rule *rule;
	struct unwind_table t;
	struct elf_file f;
	uint64_t start, end;

	(void)state;
	assert_true(open_segment(&f, &t, 0));
	assert_true(unwind_table_find(&t, ADDR - 0xff, &rule, &section, &start, &end));
	assert_int_equal(start, ADDR - 0x100);
	assert_int_equal(end, ADDR - 0xc0);
	assert_int_equal(rule->cfa_reg, 7);
	assert_int_equal(rule->cfa_offset, 16);
	unwind_table_free(&t);
	elf_file_close(&f);
	assert_false(open_segment(&f, &t, 1));
	unwind_table_free(&t);
	elf_file_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64),    cmocka_unit_test(test_aarch64), cmocka_unit_test(test_s390x),
		cmocka_unit_test(test_version_3), cmocka_unit_test(test_unknown), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
