/* SPDX-License-Identifier: MIT */
#include "symbol/list/perfmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char text[] = "7f0000001000 40 LazyCompile:~one /a b.js:1\n"
			   "0x7f0000001040 0x20 two\r\n"
			   "7f0000001000 10 one again\n"
			   "\n"
			   "zz 10 not hex\n"
			   "7f0000002000 10\n"
			   "7f0000002000 0 empty\n"
			   "ffffffffffffffff 10 wraps\n"
			   "11112222333344445 10 too many digits\n"
			   "7f0000003000 fffffffffff huge\n"
			   "7f0000000000 10 last without newline";

static void test_lines(void **state)
{
	struct symtab_builder b = { 0 };
	struct symtab *t;

	(void)state;
	assert_int_equal(perfmap_add(&b, text, sizeof(text) - 1), 5);
	t = symtab_build(&b, SYMTAB_SAME_LAST);
	assert_int_equal(t->n, 4);
	assert_string_equal(symtab_name(t, symtab_find(t, 0x7f000000100f)), "one again");
	assert_int_equal(symtab_find(t, 0x7f0000001010), SYMTAB_NONE);
	assert_string_equal(symtab_name(t, symtab_find(t, 0x7f000000105f)), "two");
	assert_string_equal(symtab_name(t, symtab_find(t, 0x7f000000000f)), "last without newline");
	assert_string_equal(symtab_name(t, symtab_find(t, 0x7f0000013000)), "huge");
	symtab_free(t);
}

static void test_later_lines_win(void **state)
{
	static const struct { const char *text, *shown; } rows[] = {
		/* the name of 0x1000, 0x1010, 0x1020, ... */
		{ "1000 40 a\n1010 10 b\n", "abaa" },
		{ "1010 10 b\n1000 40 a\n", "aaaa" },
		{ "1010 30 b\n1000 20 a\n", "aabb" },
		{ "1000 20 a\n1010 30 b\n", "abbb" },
		{ "1000 40 a\n1000 10 b\n1000 20 c\n", "cc--" },
		{ "1010 10 a\n1020 10 b\n1030 10 c\n1000 30 d\n", "dddc" },
		{ "1000 10 a\n1010 10 b\n1020 10 c\n", "abc-" },
		{ "1000 40 a\n1010 20 b\n1018 8 c\n1010 10 d\n", "adaa" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct symtab_builder b = { 0 };
		struct symtab *t;

		assert_int_equal(perfmap_add(&b, rows[i].text, strlen(rows[i].text)), 0);
		t = symtab_build(&b, SYMTAB_SAME_LAST);
		for (uint64_t at = 0; at < 0x40; at++) {
			uint32_t found = symtab_find(t, 0x1000 + at);

			assert_int_equal(found == SYMTAB_NONE ? '-' : symtab_name(t, found)[0],
					 rows[i].shown[at / 0x10]);
		}
		symtab_free(t);
	}
}

static void test_every_prefix(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct symtab_builder b = { 0 };
		char *copy = malloc(n ? n : 1);

		memcpy(copy, text, n);
		assert_true(perfmap_add(&b, copy, n) <= 6);
		assert_true(b.raw.n <= 5);
		symtab_builder_free(&b);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_later_lines_win),
		cmocka_unit_test(test_every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
