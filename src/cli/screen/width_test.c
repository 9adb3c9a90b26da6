/* SPDX-License-Identifier: MIT */
#include "cli/screen/width.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t cut(const char *text, size_t columns, size_t *used)
{
	return width_cut(text, strlen(text), columns, used);
}

static void columns_not_bytes(void **state)
{
	size_t used;

	(void)state;
	assert_int_equal(width_of("main", 4), 4);
	assert_int_equal(width_of("é", 2), 1);
	assert_int_equal(width_of("関数", 6), 4);
	assert_int_equal(cut("関数", 3, &used), 3);  /* the second one has no room */
	assert_int_equal(used, 2);
	assert_int_equal(cut("e\xcc\x81x", 1, &used), 3);  /* an accent of its own takes no column */
	assert_int_equal(used, 1);
	assert_int_equal(cut("main", 0, &used), 0);
	assert_int_equal(width_of("\xf0\x9f\x9a\x80", 4), 2);  /* an emoji */
	assert_int_equal(cut("\xf0\x9f\x9a\x80x", 1, &used), 0);
}

static void bytes_that_are_no_text(void **state)
{
	wchar_t c;

	(void)state;
	assert_int_equal(width_next("\x1b[2J", 4, &c), 1);
	assert_int_equal(c, L'?');
	assert_int_equal(width_next("\xff", 1, &c), 1);
	assert_int_equal(c, L'?');
	assert_int_equal(width_next("\xe9\x96", 2, &c), 1);  /* the start of a character */
	assert_int_equal(c, L'?');
	assert_int_equal(width_next("\xc2\x9b", 2, &c), 1);  /* CSI as one character */
	assert_int_equal(c, L'?');
}

static void long_names(void **state)
{
	const size_t size = 65536;
	char *name = malloc(size);
	size_t used;

	(void)state;
	memset(name, 'x', size);
	assert_int_equal(width_of(name, size), size);
	assert_int_equal(width_cut(name, size, 80, &used), 80);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_not_bytes),
		cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(long_names),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
