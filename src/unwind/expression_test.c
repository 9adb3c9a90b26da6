/* SPDX-License-Identifier: MIT */
/* DWARF expressions as CFI has them, and hostile ones. */
#include "unwind/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static uint64_t stack[8];

static bool value_of(const uint8_t *bytes, size_t size, const uint64_t *cfa, uint64_t *out)
{
	struct cfi_section s = { .bytes = bytes, .size = size, .wide = true,
				 .swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	struct unwind_registers regs = { 0 };
	struct unwind_memory m = { .stack_at = 0x7000, .stack = { (const uint8_t *)stack, sizeof(stack) }, .word = 8 };

	unwind_register_set(&regs, 7, 0x7000);
	unwind_register_set(&regs, 16, 0x40102b);
	return expression_value(&s, 0, &regs, &m, cfa, out);
}

#define VALUE(want, ...) \
	do { \
		const uint8_t code_[] = { __VA_ARGS__ }; \
		uint64_t out_ = 0; \
		assert_true(value_of(code_, sizeof(code_), NULL, &out_)); \
		assert_int_equal(out_, want); \
	} while (0)

#define REFUSED(...) \
	do { \
		const uint8_t code_[] = { __VA_ARGS__ }; \
		uint64_t out_ = 0; \
		assert_false(value_of(code_, sizeof(code_), NULL, &out_)); \
	} while (0)

static void test_values(void **state)
{
	(void)state;
	/* a PLT entry: rsp + 8, and 8 more from its eleventh byte on (0x40102b & 15 is 11) */
	VALUE(0x7010, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22);
	stack[2] = 0x1234;
	VALUE(0x1234, 3, 0x77, 16, 0x06);                    /* a signal frame: memory at rsp + 16 */
	VALUE(0x1233, 5, 0x77, 16, 0x06, 0x31, 0x1c);
	VALUE(5, 6, 0x31, 0x28, 1, 0, 0x30, 0x35);           /* a branch over lit0 */
	VALUE(3, 6, 0x31, 0x32, 0x33, 0x17, 0x13, 0x13);     /* rot, drop, drop: 1 2 3 becomes 3 1 2 */
	VALUE((uint64_t)-2, 2, 0x09, 0xfe);
}

static void test_with_cfa(void **state)
{
	static const uint8_t code[] = { 2, 0x38, 0x1c };      /* CFA - 8 */
	uint64_t cfa = 0x7100, out;

	(void)state;
	assert_true(value_of(code, sizeof(code), &cfa, &out));
	assert_int_equal(out, 0x70f8);
}

static void test_refused(void **state)
{
	uint8_t many[70];

	(void)state;
	REFUSED(0);                                          /* nothing */
	REFUSED(9, 0x30);                                    /* longer than the section */
	REFUSED(1, 0x06);                                    /* nothing to read from */
	REFUSED(2, 0x73, 0);                                 /* a register that is not known */
	REFUSED(4, 0x0a, 0, 0x10, 0x06);                     /* memory that is not known */
	REFUSED(3, 0x31, 0x30, 0x1b);                        /* by 0 */
	REFUSED(3, 0x2f, 0xfd, 0xff);                        /* a loop without an end */
	REFUSED(3, 0x2f, 0x10, 0);                           /* a jump beyond the end */
	REFUSED(1, 0xf3);
	memset(many, 0x31, sizeof(many));                    /* more than the stack holds */
	many[0] = sizeof(many) - 1;
	assert_false(value_of(many, sizeof(many), NULL, &(uint64_t){ 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_with_cfa),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
