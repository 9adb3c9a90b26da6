/* SPDX-License-Identifier: MIT */
#include "parquet/hybrid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/vec.h"

static void check_bytes(const uint32_t *values, size_t n, unsigned width, const char *want, size_t size)
{
	struct buf b = BUF_MEMORY;

	hybrid_encode(&b, values, n, width);
	assert_int_equal(b.n, size);
	assert_memory_equal(b.p, want, size);
	buf_free(&b);
}

/* The example of Encodings.md of parquet-format: 0 to 7 in 3 bits. */
static void test_layout(void **state)
{
	static const uint32_t counting[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, same[] = { 4, 4, 4, 4, 4, 4, 4, 4, 4 };

	(void)state;
	check_bytes(counting, 8, 3, "\x03\x88\xc6\xfa", 4);
	check_bytes(counting, 3, 3, "\x03\x88\0\0", 4);
	check_bytes(same, 9, 3, "\x12\x04", 2);
	check_bytes(same, 9, 12, "\x12\x04\0", 3);
	check_bytes((const uint32_t[]){ 0 }, 1, 0, "\x02", 1);
}

/* Encodes n values, and decodes a copy of the exact size. */
static void round_trip(const uint32_t *values, size_t n, unsigned width)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct buf b = BUF_MEMORY;
	uint32_t *out = calloc(n + 1, sizeof(*out));
	uint8_t *copy;
	struct cursor from;

	hybrid_encode(&b, values, n, width);
	copy = malloc(b.n + 1);
	assert_non_null(copy);
	assert_non_null(out);
	if (b.n)
		memcpy(copy, b.p, b.n);
	from = cur_new(copy, b.n, 0, host_is_big_endian(), &err);
	assert_int_equal(hybrid_decode(&from, width, out, n), 0);
	assert_int_equal(cur_left(&from), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(out[i], values[i]);
	if (b.n) {  /* one byte less is an error */
		from = cur_new(copy, b.n - 1, 0, host_is_big_endian(), &err);
		if (hybrid_decode(&from, width, out, n) == 0)
			assert_true(n == 0);
	}
	free(copy);
	free(out);
	buf_free(&b);
}

/* Runs and groups of every length follow each other, at every width. */
static void test_round_trips(void **state)
{
	uint32_t values[600];
	uint64_t random = 88172645463325252;

	(void)state;
	for (unsigned width = 0; width <= 32; width++)
		for (unsigned longest = 1; longest <= 40; longest += 3) {
			uint32_t mask = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
			size_t n = 0;

			while (n < ARRAY_SIZE(values) - width) {
				uint32_t v;

				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				v = (uint32_t)random & mask;
				for (size_t k = (random >> 40) % longest + 1; k && n < ARRAY_SIZE(values) - width; k--)
					values[n++] = v;
			}
			round_trip(values, n, width);
		}
	round_trip(values, 0, 3);
}

static void check_refused(const char *p, size_t n, unsigned width, size_t nr_values, int want)
{
	struct sonde_error err = { .sz = sizeof(err) };
	uint32_t out[64];
	struct cursor from = cur_new(p, n, 100, host_is_big_endian(), &err);

	assert_int_equal(hybrid_decode(&from, width, out, nr_values), want);
	assert_true(err.code);
}

static void test_bad_input(void **state)
{
	uint32_t out[4] = { 0 };
	struct cursor from;

	(void)state;
	check_refused("", 0, 3, 1, -SONDE_TRUNCATED);
	check_refused("\0\5", 2, 3, 1, -SONDE_CORRUPT);       /* a run of nothing, without end */
	check_refused("\3\1", 2, 3, 8, -SONDE_TRUNCATED);
	check_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10, 32, 8, -SONDE_TRUNCATED);
	check_refused("\x04", 1, 9, 2, -SONDE_TRUNCATED);
	/* more values than are asked for are no error, and are not stored */
	from = cur_new("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1\7", 11, 0, host_is_big_endian(), NULL);
	assert_int_equal(hybrid_decode(&from, 3, out, 2), 0);
	assert_int_equal(out[1], 7);
	assert_int_equal(out[2], 0);
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
