/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <setjmp.h>
#include <sonde/types.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void rows_and_their_members(void **state)
{
	static const char text[] = " [ {\"A\":\"x\\n\\u00e9\\\"\", \"n\" : 0x1f, \"deep\":[{\"]\":1},\"}\"], "
				   "\"none\":null},{},\n{\"EventName\":\"B\",\"Flag\":true} ]\n";
	struct arena arena = { 0 };
	struct json_reader r = json_reader(text, strlen(text), &arena);
	struct json_row row = { 0 };

	(void)state;
	assert_int_equal(json_read_row(&r, &row), 1);
	assert_int_equal(row.members.n, 4);
	assert_string_equal(json_row_get(&row, "a"), "x\n\303\251\"");
	assert_string_equal(json_row_get(&row, "n"), "0x1f");
	assert_string_equal(json_row_get(&row, "none"), "");
	assert_null(json_row_get(&row, "other"));
	assert_int_equal(json_read_row(&r, &row), 1);
	assert_int_equal(row.members.n, 0);
	assert_int_equal(json_read_row(&r, &row), 1);
	assert_string_equal(json_row_get(&row, "eventname"), "B");
	assert_string_equal(json_row_get(&row, "Flag"), "true");
	assert_int_equal(json_read_row(&r, &row), 0);
	vec_free(&row.members);
	arena_free(&arena);
}

static void rows_of_a_member(void **state)
{
	static const char text[] = "{\"Header\":{\"Events\":[{\"a\":0}]},"
				   "\"Ev\\u0065nts\":[{\"a\":1},{\"a\":2}],\"x\":0}";
	struct arena arena = { 0 };
	struct json_reader r = json_reader(text, strlen(text), &arena);
	struct json_row row = { 0 };

	(void)state;
	json_reader_enter(&r, "Events");
	assert_int_equal(json_read_row(&r, &row), 1);
	assert_string_equal(json_row_get(&row, "a"), "1");
	assert_int_equal(json_read_row(&r, &row), 1);
	assert_string_equal(json_row_get(&row, "a"), "2");
	assert_int_equal(json_read_row(&r, &row), 0);
	vec_free(&row.members);
	arena_free(&arena);
}

static void each_prefix_is_refused(void **state)
{
	static const char text[] = "[{\"a\":\"\\u0041\\\\\",\"b\":[1,{\"c\":\"]\"}],\"d\":1},{\"e\":null}]";

	(void)state;
	for (size_t n = 0; n < strlen(text); n++) {
		struct arena arena = { 0 };
		char *exact = malloc(n + 1);
		struct json_reader r = json_reader(exact, n, &arena);
		struct json_row row = { 0 };
		int e;

		memcpy(exact, text, n);
		while ((e = json_read_row(&r, &row)) > 0)
			;
		assert_int_equal(e, -SONDE_CORRUPT);
		vec_free(&row.members);
		arena_free(&arena);
		free(exact);
	}
}

static void nonsense_is_refused(void **state)
{
	static const char *const texts[] = { "", "{}", "[1]", "[{]", "[{\"a\"}]", "[{\"a\":}]", "[{\"a\":1,}]",
					     "[{}{}]", "[],", "[{\"a\":\"\\q\"}]", "[{\"a\":\"\\u12g4\"}]",
					     "[{\"a\":1}" };
	struct arena arena = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct json_reader r = json_reader(texts[i], strlen(texts[i]), &arena);
		struct json_row row = { 0 };
		int e;

		while ((e = json_read_row(&r, &row)) > 0)
			;
		if (e != -SONDE_CORRUPT)
			fail_msg("%s was taken", texts[i]);
		vec_free(&row.members);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_their_members),
		cmocka_unit_test(rows_of_a_member),
		cmocka_unit_test(each_prefix_is_refused),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
