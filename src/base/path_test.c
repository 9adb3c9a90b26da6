/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void mark_of_a_deleted_file(void **state)
{
	(void)state;
	assert_int_equal(path_undeleted_length("/bin/a (deleted)"), 6);
	assert_int_equal(path_undeleted_length("/bin/a (deleted) (deleted)"), 16);
	assert_int_equal(path_undeleted_length("/bin/a (deleted)."), 17);
	assert_int_equal(path_undeleted_length("/bin/a(deleted)"), 15);
	/* nothing but the mark is a name */
	assert_int_equal(path_undeleted_length(" (deleted)"), 10);
	assert_int_equal(path_undeleted_length(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mark_of_a_deleted_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
