/* SPDX-License-Identifier: MIT */
#include "export/fleet/row_binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* One row of a table with each type, byte by byte. */
static void test_row(void **state)
{
	static const struct parquet_column columns[] = {
		{ "i", PARQUET_INT32, false }, { "l", PARQUET_INT64, false }, { "s", PARQUET_STRING, false },
		{ "a", PARQUET_INT64_LIST, false },
	};
	static const uint8_t expected[] = {
		0xf4, 0x4f, 1, 'h',                             /* Date 20468, String */
		0xfe, 0xff, 0xff, 0xff,                         /* Int32 -2 */
		1, 2, 0, 0, 0, 0, 0, 0x80,                      /* Int64 */
		0xc8, 1,                                        /* String of 200 bytes; they follow */
	};
	struct buf out = BUF_MEMORY;
	struct row_binary to = { &out, columns };
	const struct fleet_format *f = &row_binary_format;
	char text[200] = "";

	(void)state;
	f->begin_row(&to, 20468, "h");
	f->put_int(&to, 0, -2);
	f->put_int(&to, 1, INT64_MIN + 0x201);
	f->put_text(&to, 2, text, sizeof(text));
	f->put_list(&to, 3, (const int64_t[]){ 1, -1 }, 2);
	assert_int_equal(f->end_row(&to), 0);
	assert_int_equal(out.n, sizeof(expected) + sizeof(text) + 1 + 16);
	assert_memory_equal(out.p, expected, sizeof(expected));
	assert_memory_equal(out.p + sizeof(expected) + sizeof(text),
			    "\2\1\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377", 17);
	out.n = 0;
	f->put_text(&to, 2, "", 0);
	f->put_list(&to, 3, NULL, 0);
	assert_int_equal(out.n, 2);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_row) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
