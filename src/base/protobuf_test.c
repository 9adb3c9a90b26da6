/* SPDX-License-Identifier: MIT */
#include "base/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* The bytes so far, which are then forgotten. */
static void check(struct buf *b, const char *want, size_t n)
{
	assert_int_equal(b->failed, 0);
	assert_int_equal(b->n, n);
	assert_memory_equal(b->p, want, n);
	b->n = 0;
}

static void test_fields(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	pb_u64(&b, 1, 150);  /* the example of protobuf.dev */
	check(&b, "\x08\x96\x01", 3);
	pb_u64(&b, 16, UINT64_MAX);
	check(&b, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	pb_i64(&b, 1, -1);
	check(&b, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	pb_fixed64(&b, 2, 0x0102030405060708);
	check(&b, "\x11\x08\x07\x06\x05\x04\x03\x02\x01", 9);
	pb_bytes(&b, 3, "a\0\xff", 3);
	check(&b, "\x1a\x03" "a\0\xff", 5);
	pb_bytes(&b, 3, NULL, 0);
	check(&b, "\x1a\0", 2);
	pb_str(&b, 4, "a\xff");
	check(&b, "\x22\x04" "a\xef\xbf\xbd", 6);
	pb_str(&b, 4, NULL);
	check(&b, "\x22\0", 2);
	pb_packed(&b, 5, (const uint64_t[]){ 1, 300 }, 2);
	check(&b, "\x2a\x03\x01\xac\x02", 5);
	pb_packed(&b, 5, NULL, 0);
	assert_int_equal(b.n, 0);
	buf_free(&b);
}

static void test_sizes_of_varints(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (uint64_t less = 0; less < 2; less++) {
			b.n = 0;
			pb_varint(&b, (UINT64_C(1) << bit) - less);
			assert_int_equal(b.n, pb_varint_size((UINT64_C(1) << bit) - less));
		}
	buf_free(&b);
}

/* A message of n bytes in another one: lengths of one, two and three bytes, which are known at the end. */
static void test_lengths_are_patched_in(void **state)
{
	static const size_t lengths[] = { 0, 1, 127, 128, 16383, 16384, 70000 };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct buf b = BUF_MEMORY, want = BUF_MEMORY;
		size_t outer, inner;

		outer = pb_begin(&b, 1);
		inner = pb_begin(&b, 2);
		buf_pad(&b, 'x', lengths[i]);
		pb_end(&b, inner);
		buf_char(&b, 'y');
		pb_end(&b, outer);

		pb_varint(&want, 1 << 3 | 2);
		pb_varint(&want, 1 + pb_varint_size(lengths[i]) + lengths[i] + 1);
		pb_varint(&want, 2 << 3 | 2);
		pb_varint(&want, lengths[i]);
		buf_pad(&want, 'x', lengths[i]);
		buf_char(&want, 'y');
		check(&b, want.p, want.n);
		buf_free(&b);
		buf_free(&want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_sizes_of_varints),
		cmocka_unit_test(test_lengths_are_patched_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
