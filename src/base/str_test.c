/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static struct sonde_str view(const char *text)
{
	return (struct sonde_str){ text, strlen(text) };
}

static void parts_up_to_a_separator(void **state)
{
	struct sonde_str rest = view("a line\n\nthe last"), none = { 0 };

	(void)state;
	assert_true(str_is(str_take(&rest, '\n'), "a line"));
	assert_true(str_is(str_take(&rest, '\n'), ""));
	assert_true(str_is(str_take(&rest, '\n'), "the last"));
	assert_int_equal(rest.len, 0);
	assert_int_equal(str_take(&rest, '\n').len, 0);
	assert_int_equal(str_take(&none, '\n').len, 0);
	assert_null(none.p);
	rest = view("ends in one ");
	for (int words = 0; rest.len; words++)
		assert_true(str_take(&rest, ' ').len && words < 3);
}

static void hexadecimal_digits(void **state)
{
	struct sonde_str s = view("fFff0019 T _text"), none = { 0 };
	uint64_t v = 1;

	(void)state;
	assert_true(str_take_hex(&s, &v));
	assert_int_equal(v, 0xffff0019);
	assert_true(str_is(s, " T _text"));
	assert_false(str_take_hex(&s, &v));
	assert_int_equal(v, 0);
	assert_true(str_is(s, " T _text"));
	assert_false(str_take_hex(&none, &v));
	s = view("0123456789abcdef0g");
	assert_true(str_take_hex(&s, &v));
	assert_int_equal(v, 0x0123456789abcdef);
	assert_true(str_is(s, "0g"));
	s = view("@`gG/:");
	assert_false(str_take_hex(&s, &v));
}

static void what_is_equal(void **state)
{
	struct sonde_str s = view("ID: 7"), none = { 0 };

	(void)state;
	assert_true(str_is(none, ""));
	assert_true(str_equal(none, view("")));
	assert_true(str_begins(none, ""));
	assert_false(str_begins(none, "I"));
	assert_false(str_is(s, "ID: "));
	assert_false(str_is(s, "ID: 71"));
	assert_false(str_equal(s, view("ID: 8")));
	assert_false(str_skip_prefix(&s, "ID: 71"));
	assert_true(str_skip_prefix(&s, "ID: "));
	assert_true(str_is(s, "7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(parts_up_to_a_separator),
					    cmocka_unit_test(hexadecimal_digits), cmocka_unit_test(what_is_equal) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
