/* SPDX-License-Identifier: MIT */
/* Handmade entries of .ARM.exidx and .ARM.extab. */
#include "unwind/exidx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define INDEX_ADDR 0x2000
#define EXTAB_ADDR 0x3000

/* The row of one entry, its second word given, with words of .ARM.extab. */
static bool row_of(uint32_t word, const uint32_t *extab, size_t nr_extab, struct cfi_row *row, uint64_t *ra)
{
	/* the function is at 0x1001 - 0x1000 before the entry - and in Thumb code */
	const uint32_t index[2] = { 0x7ffff001, word };
	struct exidx x = {
		.index = { .bytes = (const uint8_t *)index, .size = sizeof(index), .addr = INDEX_ADDR },
		.extab = { .bytes = (const uint8_t *)extab, .size = nr_extab * 4, .addr = EXTAB_ADDR },
	};

	assert_int_equal(exidx_function(&x, 0), 0x1000);
	return exidx_row(&x, 0, row, ra);
}

static void test_inline(void **state)
{
	struct cfi_row row;
	uint64_t ra;

	(void)state;
	assert_true(row_of(0x8002abb0, NULL, 0, &row, &ra));  /* vsp += 12; pop r4-r7, r14 */
	assert_int_equal(row.cfa_reg, 13);
	assert_int_equal(row.cfa_offset, 12 + 20);
	assert_int_equal(row.regs[4].value, -20);
	assert_int_equal(row.regs[7].value, -8);
	assert_int_equal(row.regs[14].value, -4);
	assert_int_equal(ra, 14);
	assert_true(row_of(0x80978800 | 0x08, NULL, 0, &row, &ra));  /* vsp = r7; pop r7, r15 */
	assert_int_equal(row.cfa_reg, 7);
	assert_int_equal(row.regs[7].value, -8);
	assert_int_equal(ra, 15);
	assert_true(row_of(0x80b0b0b0, NULL, 0, &row, &ra));  /* a leaf: the return address is in lr */
	assert_int_equal(row.cfa_offset, 0);
	assert_int_equal(row.regs[14].kind, REG_SAME);
	assert_int_equal(ra, 14);
	assert_true(row_of(1, NULL, 0, &row, &ra));           /* nothing called it */
	assert_int_equal(ra, UNWIND_REGS);
}

static void test_extab(void **state)
{
	/* personality 1, one more word: vsp += 0x204 + (1 << 2); d8-d9; pop r4, r14 */
	static const uint32_t compact[] = { 0x8101b201, 0xb781a8b0 };
	/* a routine of a language, then one more word: vsp = r11; pop r11, r15; */
	static const uint32_t routine[] = { 0x00000100, 0x019b8880, 0xb0b0b0b0 };
	struct cfi_row row;
	uint64_t ra;

	(void)state;
	assert_true(row_of(EXTAB_ADDR - INDEX_ADDR - 4, compact, 2, &row, &ra) == false);  /* 0xb7 is spare */
	assert_true(row_of(EXTAB_ADDR - INDEX_ADDR - 4, routine, 3, &row, &ra));
	assert_int_equal(row.cfa_reg, 11);
	assert_int_equal(row.cfa_offset, 8);
	assert_int_equal(row.regs[11].value, -8);
	assert_int_equal(row.regs[15].value, -4);
	assert_int_equal(ra, 15);
	assert_false(row_of(EXTAB_ADDR - INDEX_ADDR - 4, routine, 2, &row, &ra));  /* a word is missing */
	assert_false(row_of(0x10, routine, 3, &row, &ra));    /* not in the section */
}

static void test_refused(void **state)
{
	static const uint32_t words[] = {
		0x80800000,              /* refuses to unwind */
		0x809d0000, 0x809f0000,  /* vsp = r13, r15 */
		0x80b10000, 0x80b11000,  /* pops nothing; spare */
		0x80a09700,              /* another base after a register was popped */
		0x80d8f0f0,              /* spare */
	};
	struct cfi_row row;
	uint64_t ra;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		assert_false(row_of(words[i], NULL, 0, &row, &ra));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inline),
		cmocka_unit_test(test_extab),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
