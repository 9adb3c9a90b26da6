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
		cmocka_unit_test(test_every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
