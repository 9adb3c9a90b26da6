/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/locale_test.h"

static void test_commas_and_nesting(void **state)
{
	static const char want[] =
		"{\"a\":[],\"b\":[1,-2,\"0xff\"],\"c\":{\"d\":\"x\\\"y\",\"e\":null},\"f\":\"00ff\",\"g\":true,"
		"\"h\":12.000345}";
	struct buf out = BUF_MEMORY;
	struct json j = json_new(&out);

	(void)state;
	json_object(&j);
	json_key(&j, "a");
	json_array(&j);
	json_end(&j);
	json_key(&j, "b");
	json_array(&j);
	json_u64(&j, 1);
	json_i64(&j, -2);
	json_hex(&j, 255);
	json_end(&j);
	json_key(&j, "c");
	json_object(&j);
	json_key(&j, "d");
	json_text(&j, "x\"y");
	json_key(&j, "e");
	json_text(&j, NULL);
	json_end(&j);
	json_key(&j, "f");
	json_bytes(&j, "\0\377", 2);
	json_key(&j, "g");
	json_bool(&j, 1);
	json_key(&j, "h");
	json_millis(&j, 12000345);
	json_end(&j);
	assert_int_equal(out.n, strlen(want));
	assert_memory_equal(out.p, want, out.n);
	buf_free(&out);
}

/* A program may have set one that writes numbers with a comma. */
static void test_numbers_in_any_locale(void **state)
{
	struct buf out = BUF_MEMORY;
	struct json j = json_new(&out);

	(void)state;
	if (!test_locale_set())
		skip();
	json_array(&j);
	json_double(&j, 0.5);
	json_double(&j, -2.5e20);
	json_end(&j);
	buf_printf(&out, " %7.2f%%", 12.5);
	test_locale_reset();
	buf_char(&out, '\0');
	assert_string_equal(out.p, "[0.5,-2.5e+20]   12.50%");
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commas_and_nesting),
		cmocka_unit_test(test_numbers_in_any_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
