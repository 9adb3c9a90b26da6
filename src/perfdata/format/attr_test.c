/* SPDX-License-Identifier: MIT */
#include "perfdata/format/attr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct sonde_attr decode(const void *p, size_t n, bool swap)
{
	struct cursor c = cur_new(p, n, 0, swap, NULL);
	struct sonde_attr a;

	assert_int_equal(attr_decode(&c, n, &a), 0);
	return a;
}

static void test_flags_of_a_big_endian_recorder(void **state)
{
	(void)state;
	/*
	 * flag 0 is the most significant bit, sample_id_all (18) is bit 45, precise_ip 1 is stored as the low bit of
	 * 48..47
	 */
	assert_int_equal(attr_flags_normal(UINT64_C(1) << 63, true), 1);
	assert_int_equal(attr_flags_normal(UINT64_C(1) << 45, true), SONDE_ATTR_SAMPLE_ID_ALL);
	assert_int_equal(attr_flags_normal(UINT64_C(1) << 47, true), UINT64_C(1) << 15);
	assert_int_equal(attr_flags_normal(UINT64_C(2) << 47, true), UINT64_C(2) << 15);
	assert_int_equal(attr_flags_normal(UINT64_C(0x123456789abcdef0), false), UINT64_C(0x123456789abcdef0));
	for (unsigned bit = 0; bit < 64; bit++)
		assert_int_equal(attr_flags_normal(attr_flags_native(UINT64_C(1) << bit, true), true),
				 UINT64_C(1) << bit);
}

static void test_a_short_attr_reads_as_zero_behind_its_end(void **state)
{
	uint8_t file[80];
	struct sonde_attr a;

	(void)state;
	memset(file, 0xff, sizeof(file));
	memcpy(file + 4, &(uint32_t){ 0 }, 4);  /* size 0 means 64, whatever room there is */
	a = decode(file, sizeof(file), false);
	assert_int_equal(a.size, 64);
	assert_int_equal(a.config1, UINT64_MAX);
	assert_int_equal(a.config2, 0);
	memcpy(file + 4, &(uint32_t){ 72 }, 4);
	a = decode(file, sizeof(file), false);
	assert_int_equal(a.config2, UINT64_MAX);
	assert_int_equal(a.branch_sample_type, 0);
}

static void test_encode_gives_back_what_decode_read(void **state)
{
	uint8_t file[160];
	struct buf out = BUF_MEMORY;
	struct sonde_attr a;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		for (size_t i = 0; i < sizeof(file); i++)
			file[i] = (uint8_t)(i < ATTR_SIZE_KNOWN ? i * 7 + 1 : 0);
		memcpy(file + 4, swap != host_is_big_endian() ? "\0\0\0\xa0" : "\xa0\0\0\0", 4);
		a = decode(file, sizeof(file), swap);
		assert_int_equal(a.size, sizeof(file));
		attr_encode(&out, &a, swap);
		assert_int_equal(out.n, sizeof(file));
		assert_memory_equal(out.p, file, sizeof(file));
		out.n = 0;
	}
	buf_free(&out);
}

static void test_an_attr_below_64_bytes_is_refused(void **state)
{
	uint8_t file[63] = { 0 };
	struct sonde_error err = { 0 };
	struct cursor c = cur_new(file, sizeof(file), 0x68, false, &err);
	struct sonde_attr a;

	(void)state;
	assert_int_equal(attr_decode(&c, sizeof(file), &a), -SONDE_CORRUPT);
	assert_int_equal(err.file_offset, 0x68);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags_of_a_big_endian_recorder),
		cmocka_unit_test(test_a_short_attr_reads_as_zero_behind_its_end),
		cmocka_unit_test(test_encode_gives_back_what_decode_read),
		cmocka_unit_test(test_an_attr_below_64_bytes_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
