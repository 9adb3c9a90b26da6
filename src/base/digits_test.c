/* SPDX-License-Identifier: MIT */
#include "base/digits.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static void check(uint64_t v)
{
	char to[DIGITS_MAX + 1], expected[32];

	snprintf(expected, sizeof(expected), "%" PRIu64, v);
	*digits_put_decimal(to, v) = '\0';
	assert_string_equal(to, expected);
	snprintf(expected, sizeof(expected), "%" PRIx64, v);
	*digits_put_hex(to, v) = '\0';
	assert_string_equal(to, expected);
	snprintf(expected, sizeof(expected), "%09" PRIx64, v);
	*digits_put_hex_zero(to, v, 9) = '\0';
	assert_string_equal(to, expected);
	snprintf(expected, sizeof(expected), "%09" PRIu64, v % 1000000000);
	*digits_put_three(digits_put_six(to, (uint32_t)(v % 1000000000 / 1000)), (uint32_t)(v % 1000)) = '\0';
	assert_string_equal(to, expected);
}

static void test_every_length(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (uint64_t d = 0; d < 3; d++)
			check((UINT64_C(1) << bit) - 1 + d);
	for (uint64_t p = 1; p <= UINT64_C(1000000000000000000); p *= 10)
		for (uint64_t d = 0; d < 3; d++)
			check(p - 1 + d);
	check(UINT64_C(9999999999999999999));
	check(UINT64_C(10000000000000000000));
	check(UINT64_C(0x0123456789abcdef));
	check(UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
