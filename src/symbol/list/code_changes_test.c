/* SPDX-License-Identifier: MIT */
#include "symbol/list/code_changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct sonde_bytes bytes(const char *text)
{
	return (struct sonde_bytes){ (const uint8_t *)text, strlen(text) };
}

/* The eight bytes from 100 on at a moment, whenever they were read. */
static void expect(const struct code_changes *c, size_t moment, const char *read, const char *wanted)
{
	uint8_t code[8];

	memcpy(code, read, sizeof(code));
	code_changes_apply(c, moment, 100, code, sizeof(code));
	assert_memory_equal(code, wanted, sizeof(code));
}

static void test_each_moment_from_each_copy(void **state)
{
	static const char *const moments[] = { "abcdefgh", "abXYefgh", "abX12fgh", "Zbc12fgh" };
	struct code_changes c = { 0 };

	(void)state;
	assert_int_equal(code_changes_add(&c, 102, bytes("cd"), bytes("XY")), 0);
	assert_int_equal(code_changes_add(&c, 103, bytes("Ye"), bytes("12")), 0);
	assert_int_equal(code_changes_add(&c, 98, bytes("..abX"), bytes("##Zbc")), 0);
	for (size_t read = 0; read < 4; read++)
		for (size_t moment = 0; moment < 4; moment++)
			expect(&c, moment, moments[read], moments[moment]);
	code_changes_free(&c);
}

static void test_changes_at_the_edges(void **state)
{
	struct code_changes c = { 0 };

	(void)state;
	assert_int_equal(code_changes_add(&c, 107, bytes("hijk"), bytes("HIJK")), 0);
	assert_int_equal(code_changes_add(&c, 108, bytes("i"), bytes("!")), 0);
	assert_int_equal(code_changes_add(&c, UINT64_MAX - 1, bytes("123"), bytes("456")), 0);
	assert_int_equal(code_changes_add(&c, 100, bytes(""), bytes("new")), 0);
	expect(&c, 3, "abcdefgh", "abcdefgH");
	expect(&c, 4, "abcdefgh", "newdefgH");
	assert_true(code_change_touches(&c.list.at[0], 100, 8));
	assert_false(code_change_touches(&c.list.at[1], 100, 8));
	assert_false(code_change_touches(&c.list.at[2], 100, 8));
	assert_true(code_change_touches(&c.list.at[3], 100, 8));
	assert_false(code_change_touches(&c.list.at[3], 100, 0));
	code_changes_free(&c);
}

static void test_traces_do_not_mix(void **state)
{
	struct code_changes c = { 0 };

	(void)state;
	assert_int_equal(code_changes_begin_trace(&c), 0);
	assert_int_equal(c.list.n, 0);
	assert_int_equal(code_changes_add(&c, 100, bytes("a"), bytes("b")), 0);
	assert_int_equal(code_changes_begin_trace(&c), 0);
	assert_int_equal(code_changes_add(&c, 101, bytes("b"), bytes("c")), 0);
	expect(&c, 0, "?.......", "a.......");
	expect(&c, 1, "?.......", "b.......");
	expect(&c, 2, "?!......", "?b......");
	expect(&c, 3, "?!......", "?c......");
	assert_int_equal(code_changes_add(&c, 1, bytes(""), bytes("")), 0);
	assert_int_equal(c.list.n, 3);
	code_changes_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_moment_from_each_copy),
		cmocka_unit_test(test_changes_at_the_edges),
		cmocka_unit_test(test_traces_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
