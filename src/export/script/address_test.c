/* SPDX-License-Identifier: MIT */
#include "export/script/address.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define NR_MANY 150000  /* more than there are slots, and more text than is kept */

static void print_one(struct address_cache *p, struct buf *out, uint64_t ip)
{
	char want[64];
	int n = snprintf(want, sizeof(want), "%16" PRIx64 " [unknown] ([unknown])", ip);

	out->n = 0;
	address_cache_print(p, out, NULL, ip, ADDRESS_IP | ADDRESS_SYM | ADDRESS_DSO);
	assert_int_equal(out->n, n);
	assert_memory_equal(out->p, want, (size_t)n);
}

/* Every address has its own text, also after the texts of others have taken its place. */
static void many(void **state)
{
	struct address_cache p;
	struct buf out = BUF_MEMORY;

	(void)state;
	address_cache_init(&p);
	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < NR_MANY; i++) {
			print_one(&p, &out, i * 5);
			print_one(&p, &out, i / 2 * 5);
		}
	}
	assert_true(p.texts.cap <= 8 << 20);
	address_cache_free(&p);
	buf_free(&out);
}

/* One address with other parts is another text. */
static void parts(void **state)
{
	struct address_cache p;
	struct buf out = BUF_MEMORY;

	(void)state;
	address_cache_init(&p);
	for (int round = 0; round < 2; round++) {
		out.n = 0;
		address_cache_print(&p, &out, NULL, 0x1234, ADDRESS_IP);
		address_cache_print(&p, &out, NULL, 0x1234, ADDRESS_DSO);
		address_cache_print(&p, &out, NULL, 0x1234, ADDRESS_IP | ADDRESS_LINE);
		buf_char(&out, 0);
		assert_string_equal(out.p, "            1234 ([unknown])\t            1234\n");
	}
	address_cache_free(&p);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many),
		cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
