/* SPDX-License-Identifier: MIT */
#include "base/xxh64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

/* Of `xxhsum -H64`: and of libxxhash. */
static void test_published_vectors(void **state)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} vectors[] = {
		{ "", UINT64_C(0xef46db3751d8e999) },
		{ "a", UINT64_C(0xd24ec4f1a98c6e5b) },
		{ "abc", UINT64_C(0x44bc2cf5ad770999) },
		{ "Nobody inspects the spammish repetition", UINT64_C(0xfbcea83c8a378bf1) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		assert_true(xxh64(vectors[i].text, strlen(vectors[i].text)) == vectors[i].hash);
}

/* Stripes, eight, four and single bytes after one another. */
static void test_long(void **state)
{
	uint8_t bytes[100];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + 3);
	assert_true(xxh64(bytes, sizeof(bytes)) == UINT64_C(0xa61f8d4c170fe531));
}

static void test_unaligned(void **state)
{
	char bytes[80];

	(void)state;
	for (size_t at = 0; at < 8; at++) {
		memcpy(bytes + at, "Nobody inspects the spammish repetition", 39);
		assert_true(xxh64(bytes + at, 39) == UINT64_C(0xfbcea83c8a378bf1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_vectors),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_unaligned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
