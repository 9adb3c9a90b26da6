/* SPDX-License-Identifier: MIT */
#include "perfdata/format/cpu_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* The ranges of the bytes as text, or how decoding failed. */
static void expect(const char *bytes, size_t n, bool swap, const char *want)
{
	struct cursor c = cur_new((const uint8_t *)bytes, n, 0, swap, NULL);
	const struct sonde_cpu_range *ranges = NULL;
	struct arena arena = { 0 };
	char got[128] = "";
	size_t nr = 0;
	int r = cpu_map_decode(&c, &arena, &ranges, &nr);

	if (r < 0)
		snprintf(got, sizeof(got), "%s", r == -SONDE_CORRUPT ? "corrupt" : "other");
	for (size_t i = 0; i < nr; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%d-%d ", ranges[i].first, ranges[i].last);
	assert_string_equal(got, want);
	arena_free(&arena);
}

static void test_lists(void **state)
{
	(void)state;
	expect("\0\0\4\0\1\0\2\0\3\0\7\0", 12, host_is_big_endian(), "1-3 7-7 ");
	expect("\0\0\0\4\0\1\0\2\0\3\0\7", 12, !host_is_big_endian(), "1-3 7-7 ");
	expect("\0\0\1\0\xff\xff", 6, host_is_big_endian(), "-1--1 ");
	expect("\0\0\xff\xff\5\0", 6, host_is_big_endian(), "5-5 ");  /* a count that lies */
}

static void test_masks(void **state)
{
	(void)state;
	expect("\1\0\2\0\4\0\0\0\0\xc0\3\0\0\0", 14, host_is_big_endian(), "30-33 ");
	expect("\1\0\1\0\x8\0\0\0\0\0\x5\0\0\0\0\0\0\x80", 18, host_is_big_endian(), "0-0 2-2 63-63 ");
	expect("\0\1\0\1\0\x8\0\0\0\0\x80\0\0\0\0\0\0\5", 18, !host_is_big_endian(), "0-0 2-2 63-63 ");
	expect("\1\0\1\0\3\0\1\1\1\1", 10, host_is_big_endian(), "corrupt");
}

static void test_ranges(void **state)
{
	(void)state;
	expect("\2\0\0\0\2\0\6\0", 8, host_is_big_endian(), "2-6 ");
	expect("\2\0\1\0\0\0\6\0", 8, host_is_big_endian(), "-1--1 0-6 ");
	expect("\2\0\0\0\6\0\2\0", 8, host_is_big_endian(), "corrupt");
	expect("\2\0\0\0\6\0", 6, host_is_big_endian(), "corrupt");
	expect("\3\0\0\0\6\0\2\0", 8, host_is_big_endian(), "corrupt");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
