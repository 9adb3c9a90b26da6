/* SPDX-License-Identifier: MIT */
#include "codec/gzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <zlib.h>

static void check(const struct buf *out, const struct buf *text)
{
	z_stream z = { .next_in = (Bytef *)out->p, .avail_in = (uInt)out->n };
	char *back = malloc(text->n + 1);

	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	z.next_out = (Bytef *)back;
	z.avail_out = (uInt)text->n + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, text->n);
	if (text->n)
		assert_memory_equal(back, text->p, text->n);
	inflateEnd(&z);
	free(back);
}

/* Text that does not shrink to nothing, some bytes at a time. */
static void test_text_comes_back(void **state)
{
	static const size_t sizes[] = { 0, 1, 1000, 300000, 2000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf out = BUF_MEMORY, text = BUF_MEMORY, packed;
		uint32_t random = 1;
		struct gzip g;

		packed = gzip_begin(&g, &out);
		for (size_t n = 0; n < sizes[i];) {
			uint8_t bytes[97];
			size_t some = n % sizeof(bytes) + 1;

			some = some < sizes[i] - n ? some : sizes[i] - n;
			for (size_t k = 0; k < some; k++) {
				random = random * 1103515245 + 12345;
				bytes[k] = (uint8_t)(random >> 16 & 63);
			}
			buf_put(&packed, bytes, some);
			buf_put(&text, bytes, some);
			n += some;
		}
		assert_int_equal(gzip_end(&g, &packed), 0);
		check(&out, &text);
		buf_free(&out);
		buf_free(&text);
	}
}

static int refuse(void *ctx, const void *p, size_t n)
{
	(void)ctx, (void)p, (void)n;
	return -1;
}

static void test_an_output_that_fails_is_told(void **state)
{
	struct buf out = { .fd = -1, .sink = refuse }, packed;
	struct gzip g;

	(void)state;
	packed = gzip_begin(&g, &out);
	for (uint32_t i = 0; i < 1000000; i++)
		buf_put(&packed, &(uint32_t){ i * 2654435761u }, sizeof(i));
	assert_true(gzip_end(&g, &packed) < 0);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_comes_back),
		cmocka_unit_test(test_an_output_that_fails_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
