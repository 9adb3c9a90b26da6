/* SPDX-License-Identifier: MIT */
#include "base/json_cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct buf buffer;
static struct sonde_error err;

static struct json_cursor start(const char *text)
{
	buf_free(&buffer);
	buffer = BUF_MEMORY;
	err_clear(&err);
	return jcur_new(text, strlen(text), &buffer, &err);
}

static void test_numbers(void **state)
{
	static const struct { const char *text; double v; } rows[] = {
		{ "0", 0 }, { "-1", -1 }, { "12.5", 12.5 }, { "0.1", 0.1 }, { "123456789.123456", 123456789.123456 },
		{ "1e3", 1000 }, { "2.5E-3", 0.0025 }, { "9007199254740993", 9007199254740992.0 },
		{ "18446744073709551615", 18446744073709551615.0 }, { "0.30000000000000004", 0.30000000000000004 },
		{ "null", 0 }, { " \n7 ", 7 },
	};
	double v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json_cursor c = start(rows[i].text);

		assert_int_equal(jcur_number(&c, &v), strcmp(rows[i].text, "null") != 0);
		assert_true(v == rows[i].v);
		assert_int_equal(jcur_peek(&c), '\0');
	}
}

static void test_texts(void **state)
{
	static const struct { const char *text, *v;
	} rows[] = {
		{ "\"\"", "" },
		{ "\"plain\"", "plain" },
		{ "\"a\\\"b\\\\c\\/\\n\"", "a\"b\\c/\n" },
		{ "\"\\u0041\\u00e9\\u20ac\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!" },
		{ "\"\\ud83d-\"", "\xef\xbf\xbd-" },
		{ "\"\\u0000\"", "\xef\xbf\xbd" },
		{ "null", "" },
	};
	struct sonde_str v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json_cursor c = start(rows[i].text);

		assert_true(jcur_text(&c, &v) >= 0);
		assert_int_equal(v.len, strlen(rows[i].v));
		assert_memory_equal(v.p, rows[i].v, v.len);
		assert_int_equal(jcur_peek(&c), '\0');
	}
}

static void test_arrays_and_objects(void **state)
{
	struct json_cursor c = start("{\"a\": [1, [], {}, \"]\"], \"b\": [true, false, null], \"c\" : 3}");
	struct sonde_str key;
	double v = 0;
	int n = 0;

	(void)state;
	for (int r = jcur_first(&c, '{'); r > 0; r = jcur_next(&c, '}'), n++) {
		assert_int_equal(jcur_key(&c, &key), 0);
		assert_int_equal(key.len, 1);
		if (key.p[0] == 'c')
			assert_int_equal(jcur_number(&c, &v), 1);
		else
			assert_int_equal(jcur_skip(&c), 0);
	}
	assert_int_equal(n, 3);
	assert_true(v == 3);
	assert_false(c.failed);
}

static void test_what_is_wrong_is_told_with_its_place(void **state)
{
	static const struct { const char *text; enum sonde_code code; uint64_t at; const char *message; } rows[] = {
		{ "[1 2]", SONDE_CORRUPT, 3, "not JSON as it should be: expected ',' or ']', found '2'" },
		{ "[1,", SONDE_TRUNCATED, 3, "the JSON text ends: expected a number" },
		{ "[x]", SONDE_CORRUPT, 1, "not JSON as it should be: expected a number, found 'x'" },
		{ "[tru", SONDE_CORRUPT, 1, "not JSON as it should be: expected a value, found 't'" },
		{ "[\"abc", SONDE_TRUNCATED, 5, "the JSON text ends: expected the end of a text" },
		{ "[\"\\x\"]", SONDE_CORRUPT, 3, "not JSON as it should be: expected an escape, found 'x'" },
		{ "[\"\\u12\"]", SONDE_CORRUPT, 3, "not JSON as it should be: expected an escape, found 'u'" },
		{ "[[{]]", SONDE_CORRUPT, 3, "not JSON as it should be: expected '}', found ']'" },
		{ "[[[", SONDE_TRUNCATED, 3, "the JSON text ends: expected the end of an array or an object" },
		{ "[-]", SONDE_CORRUPT, 1, "not JSON as it should be: expected a number, found '-'" },
		{ "\x01", SONDE_CORRUPT, 0, "not JSON as it should be: expected '[', found byte 0x01" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json_cursor c = start(rows[i].text);
		int r;

		for (r = jcur_first(&c, '['); r > 0; r = jcur_next(&c, ']'))
			jcur_skip(&c);
		assert_true(r < 0);
		assert_string_equal(err.text, rows[i].message);
		assert_int_equal(err.code, rows[i].code);
		assert_int_equal(err.file_offset, rows[i].at);
	}
}

static void test_deep_nesting_is_refused(void **state)
{
	char text[3000];
	struct json_cursor c;

	(void)state;
	memset(text, '[', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	c = start(text);
	assert_true(jcur_skip(&c) < 0);
	assert_string_equal(err.text, "not JSON as it should be: expected at most 1024 levels, found '['");
	assert_int_equal(err.file_offset, 1024);
}

static void test_every_prefix_fails_once_and_stays_so(void **state)
{
	const char *text = "{\"a\": [1.5, \"\\u00e9\", {\"b\": null}], \"c\": -2e5}";

	(void)state;
	for (size_t n = 0; n < strlen(text); n++) {
		char *copy = malloc(n + 1);
		struct json_cursor c;

		memcpy(copy, text, n);
		err_clear(&err);
		c = jcur_new(copy, n, &buffer, &err);
		assert_true(jcur_skip(&c) < 0);
		assert_true(jcur_skip(&c) < 0);
		assert_int_equal(err.code, SONDE_TRUNCATED);
		free(copy);
	}
	buf_free(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_arrays_and_objects),
		cmocka_unit_test(test_what_is_wrong_is_told_with_its_place),
		cmocka_unit_test(test_deep_nesting_is_refused),
		cmocka_unit_test(test_every_prefix_fails_once_and_stays_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
