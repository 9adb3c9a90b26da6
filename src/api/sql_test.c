/* SPDX-License-Identifier: MIT */
#include <sonde/sql.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A statement that writes must not find the tables of an opening that failed. */
static void test_nothing_is_asked_after_a_failed_opening(void **state)
{
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_sql *q = sonde_sql_new();
	int r = sonde_sql_open(q, t, NULL);

	(void)state;
	if (r != -SONDE_UNSUPPORTED) {
		assert_int_equal(r, -SONDE_USAGE);
		assert_string_equal(sonde_sql_error(q)->text, "this trace is not open");
		assert_int_equal(sonde_sql_prepare(q, "create table t(a)", NULL), -SONDE_USAGE);
		assert_string_equal(sonde_sql_error(q)->text, "no trace has been read");
		assert_int_equal(sonde_sql_open(q, t, NULL), -SONDE_USAGE);
		assert_string_equal(sonde_sql_error(q)->text, "this trace is not open");
	}
	sonde_sql_free(q);
	sonde_trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_asked_after_a_failed_opening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
