/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/page/columns.h"

static void put(struct columns *c, const char *name, const uint64_t *values, size_t n, struct buf *json)
{
	for (size_t i = 0; i < n; i++)
		columns_put(c, values[i]);
	columns_end(c, name, json);
}

static void test_a_column_takes_as_many_bytes_as_its_values_need(void **state)
{
	const uint64_t same[] = { 9, 9, 9 }, small[] = { 1000, 1255, 1001 }, wide[] = { 0, UINT64_MAX };
	const uint8_t bytes[] = { 0, 255, 1, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255 };
	struct columns c = { .bytes = BUF_MEMORY };
	struct buf json = BUF_MEMORY;

	(void)state;
	put(&c, "same", same, 3, &json);
	put(&c, "small", small, 3, &json);
	put(&c, "wide", wide, 2, &json);
	put(&c, "none", NULL, 0, &json);
	buf_char(&json, '\0');
	assert_string_equal(json.p, "[\"same\",3,0,9][\"small\",3,1,1000][\"wide\",2,8,0][\"none\",0,0,0]");
	assert_int_equal(c.bytes.n, sizeof(bytes));
	assert_memory_equal(c.bytes.p, bytes, sizeof(bytes));
	columns_free(&c);
	buf_free(&json);
}

static void test_the_block_is_base64(void **state)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

	(void)state;
	for (size_t n = 0; n < 7; n++) {
		struct columns c = { .bytes = BUF_MEMORY };
		struct buf out = BUF_MEMORY;

		buf_pad(&c.bytes, 'x', n);
		assert_int_equal(columns_write(&c, &out), 0);
		assert_int_equal(out.n % 4, 0);
		assert_memory_equal(out.p, "eJ", 2);  /* the first byte of a stream of zlib is 0x78 */
		buf_char(&out, '\0');
		assert_int_equal(strspn(out.p, digits), out.n - 1);
		columns_free(&c);
		buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_column_takes_as_many_bytes_as_its_values_need),
		cmocka_unit_test(test_the_block_is_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
