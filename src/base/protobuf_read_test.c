/* SPDX-License-Identifier: MIT */
#include "base/protobuf_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/protobuf.h"

static struct cursor cursor_of(const void *p, size_t n, struct sonde_error *err)
{
	err_clear(err);
	return cur_new(p, n, 100, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, err);
}

static void test_fields_come_back_as_they_were_written(void **state)
{
	static const uint64_t numbers[] = { 0, 1, 127, 128, UINT64_MAX };
	struct buf b = BUF_MEMORY;
	struct sonde_error err;
	struct pb_field f;
	struct cursor c;
	uint64_t v;

	(void)state;
	pb_u64(&b, 1, UINT64_MAX);
	pb_fixed64(&b, 2, 0x0102030405060708);
	pb_str(&b, 3, "text");
	pb_packed(&b, 4, numbers, 5);
	pb_i64(&b, 5, -1);
	c = cursor_of(b.p, b.n, &err);
	assert_int_equal(pb_next(&c, &f), 1);
	assert_true(f.number == 1 && f.value == UINT64_MAX && f.at == 100);
	assert_int_equal(pb_next(&c, &f), 1);
	assert_true(f.number == 2 && f.value == 0x0102030405060708);
	assert_int_equal(pb_next(&c, &f), 1);
	assert_int_equal(pb_string(&f).len, 4);
	assert_memory_equal(pb_string(&f).p, "text", 4);
	assert_int_equal(pb_next(&c, &f), 1);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(pb_next_number(&f, &v), 1);
		assert_int_equal(v, numbers[i]);
	}
	assert_int_equal(pb_next_number(&f, &v), 0);
	assert_int_equal(pb_next(&c, &f), 1);
	assert_int_equal(pb_next_number(&f, &v), 1);  /* not packed: one number */
	assert_true((int64_t)v == -1);
	assert_int_equal(pb_next_number(&f, &v), 0);
	assert_int_equal(pb_next(&c, &f), 0);
	buf_free(&b);
}

static void test_damage_is_told_with_its_place(void **state)
{
	static const struct { const char *bytes; size_t n; uint64_t at; const char *message; } rows[] = {
		{ "\x08", 1, 101, "need 1 bytes, 0 left" },
		{ "\x08\x80", 2, 102, "need 1 bytes, 0 left" },
		{ "\x0a\x05" "abc", 5, 102, "need 5 bytes, 3 left" },
		{ "\x09\x01\x02", 3, 101, "need 8 bytes, 2 left" },
		{ "\x0b", 1, 100, "no field of a message: expected a wire type of 0, 1, 2 or 5, found 3" },
		{ "\x02\x01" "a", 3, 100, "no field of a message: expected a number from 1 to 536870911, found 0" },
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, 101, "a number of more than ten bytes" },
	};
	struct sonde_error err;
	struct pb_field f;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cursor c = cursor_of(rows[i].bytes, rows[i].n, &err);

		assert_true(pb_next(&c, &f) < 0);
		assert_true(pb_next(&c, &f) < 0);
		assert_string_equal(err.text, rows[i].message);
		assert_int_equal(err.file_offset, rows[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_come_back_as_they_were_written),
		cmocka_unit_test(test_damage_is_told_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
