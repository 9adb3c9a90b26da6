/* SPDX-License-Identifier: MIT */
/* Handmade CIEs and FDEs: their ranges, their rows, and what is refused. */
#include "unwind/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* As x86-64 compilers write it: CFA = rsp + 8, return address at CFA - 8; little-endian. */
#define CIE_AT 0
#define CIE \
	0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0
/* its start is 0x1000 - 0x20 from its own place, 0x1020, on */
#define FDE_HEAD(bytes, size) (bytes) + 13, 0, 0, 0, 0x1c, 0, 0, 0, 0xe0, 0xff, 0xff, 0xff, (size), 0, 0, 0, 0

static const bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

struct program_rows {
	size_t n;
	struct { uint64_t start, end; struct cfi_row row; } at[16];
};

static int take_row(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct program_rows *rows = ctx;

	assert_true(rows->n < 16);
	rows->at[rows->n].start = start;
	rows->at[rows->n].end = end;
	rows->at[rows->n++].row = *row;
	return 0;
}

static struct cfi_section section_of(const uint8_t *bytes, size_t size)
{
	return (struct cfi_section){ .bytes = bytes, .size = size, .addr = 0x1000, .swap = swap, .wide = true };
}

/* The rows of the FDE after the CIE; the result of the run. */
static int run(const uint8_t *bytes, size_t size, struct program_rows *rows)
{
	uint8_t *exact = malloc(size);  /* a read beyond the end is seen by the sanitizer */
	struct cfi_section s;
	struct cfi_entry e;
	struct cfi_fde fde;
	int r;

	memcpy(exact, bytes, size);
	s = section_of(exact, size);
	rows->n = 0;
	assert_true(cfi_entry_at(&s, CIE_AT, &e));
	assert_true(e.is_cie);
	assert_true(cfi_entry_at(&s, e.next, &e));
	assert_false(e.is_cie);
	assert_true(cfi_fde_read(&s, &e, &fde));
	assert_int_equal(fde.start, 0x1000);
	r = cfi_program_run(&s, &fde, take_row, rows);
	free(exact);
	return r;
}

static void test_rows(void **state)
{
	/* push rbp; mov rsp, rbp; ...; an epilogue in the middle that is remembered and restored */
	static const uint8_t bytes[] = { CIE, FDE_HEAD(16, 0x20), 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6,
					 0x4c, 0x0a, 0x0c, 7, 8, 0xc6, 0x41, 0x0b };
	struct program_rows rows;

	(void)state;
	assert_int_equal(run(bytes, sizeof(bytes), &rows), 0);
	assert_int_equal(rows.n, 5);
	assert_int_equal(rows.at[0].start, 0x1000);
	assert_int_equal(rows.at[0].end, 0x1001);
	assert_int_equal(rows.at[0].row.cfa_reg, 7);
	assert_int_equal(rows.at[0].row.cfa_offset, 8);
	assert_int_equal(rows.at[0].row.regs[16].kind, REG_OFFSET);
	assert_int_equal(rows.at[0].row.regs[16].value, -8);
	assert_int_equal(rows.at[0].row.regs[6].kind, REG_SAME);
	assert_int_equal(rows.at[1].row.cfa_offset, 16);
	assert_int_equal(rows.at[1].row.regs[6].value, -16);
	assert_int_equal(rows.at[2].row.cfa_reg, 6);
	assert_int_equal(rows.at[3].row.cfa_reg, 7);
	assert_int_equal(rows.at[3].row.cfa_offset, 8);
	assert_int_equal(rows.at[3].row.regs[6].kind, REG_SAME);
	assert_int_equal(rows.at[4].row.cfa_reg, 6);
	assert_int_equal(rows.at[4].row.regs[6].kind, REG_OFFSET);
	assert_int_equal(rows.at[4].end, 0x1020);
}

static void test_kinds_of_rules(void **state)
{
	static const uint8_t bytes[] = { CIE, FDE_HEAD(21, 1),
					 0x07, 16,              /* undefined: the outermost frame */
					 0x09, 3, 12,           /* rbx is in r12 */
					 0x14, 14, 2,           /* r14 is CFA - 16 */
					 0x0f, 2, 0x77, 8,      /* CFA = an expression */
					 0x10, 15, 1, 0x50,     /* r15 is where an expression says */
					 0x2e, 4, 0, 0x2d, 0 };
	struct program_rows rows;
	const struct cfi_row *row = &rows.at[0].row;

	(void)state;
	assert_int_equal(run(bytes, sizeof(bytes), &rows), 0);
	assert_int_equal(rows.n, 1);
	assert_int_equal(row->regs[16].kind, REG_UNDEFINED);
	assert_int_equal(row->regs[3].kind, REG_REGISTER);
	assert_int_equal(row->regs[3].value, 12);
	assert_int_equal(row->regs[14].kind, REG_VAL_OFFSET);
	assert_int_equal(row->regs[14].value, -16);
	assert_true(row->cfa_is_expression);
	assert_int_equal(bytes[row->cfa_offset], 2);
	assert_int_equal(row->regs[15].kind, REG_EXPRESSION);
	assert_int_equal(bytes[row->regs[15].value + 1], 0x50);
}

/* A program that makes no sense ends; the rows before it stay. */
static void test_damaged(void **state)
{
	static const uint8_t programs[][4] = {
		{ 0x41, 0x3f, 0, 0 },    /* an instruction that nobody knows */
		{ 0x41, 0x0b, 0, 0 },    /* a state that was not remembered */
		{ 0x41, 0x16, 3, 9 },    /* an expression beyond the end */
		{ 0x41, 0x0c, 99, 8 },   /* a CFA by a register that does not exist */
		{ 0x41, 0x05, 0x83, 0x80 },  /* a number without an end */
	};
	struct program_rows rows;

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / 4; i++) {
		uint8_t bytes[] = { CIE, FDE_HEAD(4, 0x20), 0, 0, 0, 0 };

		memcpy(bytes + sizeof(bytes) - 4, programs[i], 4);
		assert_int_equal(run(bytes, sizeof(bytes), &rows), -SONDE_CORRUPT);
		assert_int_equal(rows.n, 1);
		assert_int_equal(rows.at[0].end, 0x1001);
	}
}

static void test_remembers_so_many_states(void **state)
{
	uint8_t bytes[] = { CIE, FDE_HEAD(10, 0x20), 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 };
	struct program_rows rows;

	(void)state;
	assert_int_equal(run(bytes, sizeof(bytes), &rows), -SONDE_CORRUPT);
	bytes[sizeof(bytes) - 1] = bytes[sizeof(bytes) - 2] = 0;
	assert_int_equal(run(bytes, sizeof(bytes), &rows), 0);
}

/* Every prefix of good bytes is read without a step beyond its end. */
static void test_prefixes(void **state)
{
	static const uint8_t bytes[] = { CIE, FDE_HEAD(3, 0x20), 0x41, 0x0e, 16 };

	(void)state;
	for (size_t n = 0; n < sizeof(bytes); n++) {
		uint8_t *exact = malloc(n ? n : 1);
		struct cfi_section s = section_of(exact, n);
		struct cfi_entry e;
		struct cfi_fde fde;
		struct program_rows rows = { 0 };
		unsigned found = 0;

		memcpy(exact, bytes, n);
		for (uint32_t at = 0; cfi_entry_at(&s, at, &e); at = e.next)
			if (cfi_fde_read(&s, &e, &fde)) {
				cfi_program_run(&s, &fde, take_row, &rows);
				found++;
			}
		assert_int_equal(found, 0);
		free(exact);
	}
}

static void test_debug_frame(void **state)
{
	/* version 4; the FDE has its CIE's offset, and addresses as they are */
	static const uint8_t bytes[] = { 15, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 8, 0, 4, 0x7c, 14, 0x0c, 13, 0, 0,
					 23, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,
					 0x41, 0x0e, 8 };
	struct cfi_section s = section_of(bytes, sizeof(bytes));
	struct cfi_entry e;
	struct cfi_fde fde;
	struct program_rows rows = { 0 };

	(void)state;
	s.debug_frame = true;
	assert_true(cfi_entry_at(&s, 0, &e));
	assert_true(cfi_entry_at(&s, e.next, &e));
	assert_true(cfi_fde_read(&s, &e, &fde));
	assert_int_equal(fde.start, 0x2000);
	assert_int_equal(fde.size, 8);
	assert_int_equal(cfi_program_run(&s, &fde, take_row, &rows), 0);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.at[0].end, 0x2004);  /* code_align is 4 */
	assert_int_equal(rows.at[1].row.cfa_offset, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_kinds_of_rules),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_remembers_so_many_states),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_debug_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
