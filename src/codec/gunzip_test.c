/* SPDX-License-Identifier: MIT */
#include "codec/gunzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "codec/gzip.h"

/* n zeros, compressed; the caller frees them. */
static struct buf packed_zeros(size_t n)
{
	struct buf out = BUF_MEMORY, packed;
	struct gzip g;

	packed = gzip_begin(&g, &out);
	buf_pad(&packed, '\0', n);
	assert_int_equal(gzip_end(&g, &packed), 0);
	return out;
}

static int unpack(const struct buf *b, size_t n, size_t most, struct buf *out, struct sonde_error *err)
{
	*out = BUF_MEMORY;
	err_clear(err);
	return gunzip((const uint8_t *)b->p, n, most, out, err);
}

static void test_members_follow_each_other(void **state)
{
	struct buf one = packed_zeros(1000000), out;
	struct sonde_error err;
	size_t n = one.n;

	(void)state;
	assert_true(gunzip_is((const uint8_t *)one.p, one.n));
	buf_put(&one, buf_room(&one, n) ? one.p : "", n);
	assert_int_equal(unpack(&one, one.n, SIZE_MAX, &out, &err), 0);
	assert_int_equal(out.n, 2000000);
	buf_free(&out);
	buf_pad(&one, '\0', 512);
	assert_int_equal(unpack(&one, one.n, SIZE_MAX, &out, &err), 0);
	assert_int_equal(out.n, 2000000);
	buf_free(&out);
	buf_free(&one);
}

static void test_a_bomb_ends_at_the_limit(void **state)
{
	struct buf one = packed_zeros(5000000), out;
	struct sonde_error err;

	(void)state;
	assert_int_equal(unpack(&one, one.n, 1000000, &out, &err), -SONDE_UNSUPPORTED);
	assert_int_equal(out.n, 1000000);
	assert_string_equal(err.text, "gzip: decompresses to more than 1000000 bytes");
	buf_free(&out);
	assert_int_equal(unpack(&one, one.n, 5000000, &out, &err), 0);
	buf_free(&out);
	buf_free(&one);
}

static void test_damage_keeps_what_comes_before(void **state)
{
	struct buf one = packed_zeros(1000000), out;
	struct sonde_error err;

	(void)state;
	for (size_t n = 3; n < one.n; n += 7) {
		assert_int_equal(unpack(&one, n, SIZE_MAX, &out, &err), -SONDE_TRUNCATED);
		assert_true(err.file_offset <= n);
		buf_free(&out);
	}
	one.p[one.n - 6] ^= 1;           /* its checksum */
	assert_int_equal(unpack(&one, one.n, SIZE_MAX, &out, &err), -SONDE_CORRUPT);
	assert_int_equal(out.n, 1000000);
	buf_free(&out);
	buf_free(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_follow_each_other),
		cmocka_unit_test(test_a_bomb_ends_at_the_limit),
		cmocka_unit_test(test_damage_keeps_what_comes_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
