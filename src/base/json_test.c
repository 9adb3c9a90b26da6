/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void test_commas_and_nesting(void **state)
{
	static const char want[] = "{\"a\":[],\"b\":[1,-2,\"0xff\"],\"c\":{\"d\":\"x\\\"y\",\"e\":null},\"f\":\"00ff\",\"g\":true}";
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
	json_end(&j);
	assert_int_equal(out.n, strlen(want));
	assert_memory_equal(out.p, want, out.n);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commas_and_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
