/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "insight/map/map.h"

static void check(uint64_t number, const char *name)
{
	char found[3];

	map_name(number, found);
	assert_string_equal(found, name);
}

static void names(void **state)
{
	(void)state;
	check(0, "A0");
	check(25, "Z0");
	check(26, "A1");
	check(259, "Z9");
	check(260, "AA");
	check(260 + 676 - 1, "ZZ");
	check(260 + 676, "aa");
	check(260 + 2 * 676 - 1, "zz");
	check(260 + 2 * 676, "A0");
	check(UINT64_MAX - UINT64_MAX % 1612, "A0");
}

/* No two tasks have the same letters before they come again. */
static void different(void **state)
{
	static char all[1612][3];

	(void)state;
	for (uint64_t i = 0; i < 1612; i++) {
		map_name(i, all[i]);
		for (uint64_t k = 0; k < i; k++)
			assert_string_not_equal(all[i], all[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names), cmocka_unit_test(different) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
