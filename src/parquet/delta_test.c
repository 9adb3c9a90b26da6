/* SPDX-License-Identifier: MIT */
#include "parquet/delta.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/vec.h"

/* Seven numbers that count: every difference is 1, so that they take no bits. */
static void test_layout(void **state)
{
	static const int64_t counting[] = { 7, 8, 9, 10, 11, 12, 13 };
	static const uint8_t want[] = { 0x80, 0x08, 8, 7, 14, 2, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct buf b = BUF_MEMORY;

	(void)state;
	delta_encode(&b, counting, ARRAY_SIZE(counting));
	assert_int_equal(b.n, sizeof(want));
	assert_memory_equal(b.p, want, sizeof(want));
	buf_free(&b);
}

static void round_trip(const int64_t *values, size_t n)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct buf b = BUF_MEMORY;
	int64_t *out = calloc(n + 1, sizeof(*out));
	uint8_t *copy;
	struct cursor from;

	delta_encode(&b, values, n);
	copy = malloc(b.n);
	assert_non_null(copy);
	assert_non_null(out);
	memcpy(copy, b.p, b.n);
	from = cur_new(copy, b.n, 0, host_is_big_endian(), &err);
	assert_int_equal(delta_decode(&from, out, n), 0);
	assert_int_equal(cur_left(&from), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(out[i], values[i]);
	from = cur_new(copy, b.n - 1, 0, host_is_big_endian(), &err);
	assert_int_equal(delta_decode(&from, out, n), -SONDE_TRUNCATED);
	free(copy);
	free(out);
	buf_free(&b);
}

static void test_round_trips(void **state)
{
	static const int64_t extremes[] = { INT64_MIN, INT64_MAX, INT64_MIN, 0, INT64_MAX, INT64_MAX, -1, 1 };
	static const size_t sizes[] = { 0, 1, 2, 127, 128, 129, 130, 1024, 1025, 1026, 3000 };
	int64_t values[3000];
	uint64_t random = 88172645463325252;

	(void)state;
	round_trip(extremes, ARRAY_SIZE(extremes));
	for (unsigned shift = 0; shift < 64; shift++) {
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			values[i] = (int64_t)(random >> shift);
		}
		round_trip(values, sizes[shift % ARRAY_SIZE(sizes)]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		round_trip(values, sizes[i]);
}

static void check_refused(const void *p, size_t n, size_t nr_values, int want)
{
	struct sonde_error err = { .sz = sizeof(err) };
	int64_t out[64];
	struct cursor from = cur_new(p, n, 100, host_is_big_endian(), &err);

	assert_int_equal(delta_decode(&from, out, nr_values), want);
	assert_true(err.code);
}

static void test_bad_input(void **state)
{
	(void)state;
	check_refused("", 0, 1, -SONDE_TRUNCATED);
	check_refused("\0\1\2\0", 4, 2, -SONDE_CORRUPT);              /* blocks of no values */
	check_refused("\x80\x08\0\2\0", 5, 2, -SONDE_CORRUPT);        /* no miniblocks */
	check_refused("\x80\x08\x40\2\0", 5, 2, -SONDE_CORRUPT);      /* miniblocks of 16 */
	check_refused("\x80\x08\x08\3\0\0", 6, 2, -SONDE_CORRUPT);    /* 3 values, 2 expected */
	check_refused("\x80\x80\x80\x80\x20\1\2\0", 8, 2, -SONDE_CORRUPT);  /* blocks of gigabytes */
	check_refused("\x80\x08\x08\2\0\0\x41\0\0\0\0\0\0\0", 14, 2, -SONDE_CORRUPT);  /* 65 bits */
	check_refused("\x80\x08\x08\2\0\0\x40\0\0\0\0\0\0\0", 14, 2, -SONDE_TRUNCATED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
