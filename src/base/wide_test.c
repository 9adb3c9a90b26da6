/* SPDX-License-Identifier: MIT */
#include "base/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void products(void **state)
{
	struct wide w = wide_mul(UINT64_MAX, UINT64_MAX);

	(void)state;
	assert_true(w.high == UINT64_MAX - 1 && w.low == 1);
	w = wide_mul(UINT64_C(1) << 32, UINT64_C(1) << 33);
	assert_true(w.high == 2 && w.low == 0);
	assert_true(wide_mul_shift(UINT64_MAX, UINT64_MAX, 0) == 1);
	assert_true(wide_mul_shift(UINT64_MAX, 8, 3) == UINT64_MAX);
	assert_true(wide_mul_shift(UINT64_C(1) << 40, UINT64_C(1) << 40, 63) == UINT64_C(1) << 17);
}

static void quotients(void **state)
{
	uint64_t q, left;

	(void)state;
	assert_true(wide_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX, &q, &left) && q == UINT64_MAX);
	assert_true(wide_mul_div(UINT64_MAX, 3, 4, &q, &left) && q == (UINT64_MAX / 4) * 3 + 2);
	assert_true(wide_mul_div(7, 5, 6, &q, &left) && q == 5 && left == 5);
	assert_true(wide_mul_div(UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, &q, &left) && q == UINT64_MAX - 1);
	assert_true(wide_mul_div(0, 5, 1, &q, &left) && q == 0);
	assert_false(wide_mul_div(UINT64_MAX, 2, 1, &q, &left));
	assert_false(wide_mul_div(1, 1, 0, &q, &left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products),
		cmocka_unit_test(quotients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
