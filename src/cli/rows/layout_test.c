/* SPDX-License-Identifier: MIT */
#include "cli/rows/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The titles and a row on a screen of so many columns. */
static const char *shown(const char *titles, const char *cells, size_t columns)
{
	static char out[512];
	struct row row = { .text = (char *)cells };
	const struct rows rows = { .rows = &row, .nr_rows = 1, .titles = (char *)titles };
	struct row_layout l;
	size_t n;

	layout_measure(&l, &rows);
	layout_fit(&l, columns);
	layout_put(&l, 0, ' ', titles, columns, out, sizeof(out) / 2);
	n = strlen(out);
	out[n++] = '\n';
	layout_put(&l, 0, ' ', cells, columns, out + n, sizeof(out) / 2);
	return out;
}

static void functions_stay(void **state)
{
	const char *titles = "Overhead\tCommand\tSource Object\tSource\tTarget\tCycles",
		   *cells = "16.67%\tprog\tworkload\t[.] fibonacci\t[.] compute_more\t1200";

	(void)state;
	assert_string_equal(shown(titles, cells, 90),
			    "  Overhead  Command  Source Object  Source         Target            Cycles\n"
			    "    16.67%  prog     workload       [.] fibonacci  [.] compute_more    1200");
	assert_string_equal(shown(titles, cells, 51), "  Overhead  Source         Target            Cycles\n"
						      "    16.67%  [.] fibonacci  [.] compute_more    1200");
	assert_string_equal(shown(titles, cells, 44), "  Overhead  Source         Target          \n"
						      "    16.67%  [.] fibonacci  [.] compute_more");
	assert_string_equal(shown(titles, cells, 32), "  Overhead  Source     Target   \n"
						      "    16.67%  [.] fibon  [.] compu");
}

static void the_last_name_stays(void **state)
{
	const char *titles = "Overhead\tCommand\tShared Object",
		   *cells = "9.11%\ta-long-command\tlibrary-of-someone.so";

	(void)state;
	assert_string_equal(shown(titles, cells, 46), "  Overhead  Command      Shared Object\n"
						      "     9.11%  a-long-comm  library-of-someone.so");
	assert_string_equal(shown(titles, cells, 34), "  Overhead  Shared Object\n"
						      "     9.11%  library-of-someone.so");
}

/* A screen is drawn before it has rows. */
static void nothing_measured_has_a_place_too(void **state)
{
	struct row_layout l = { 0 };

	(void)state;
	layout_fit(&l, 80);
	assert_int_equal(l.n, 0);
}

static void no_room_is_no_error(void **state)
{
	(void)state;
	assert_string_equal(shown("Overhead\tSymbol", "9.11%\t[k] main", 5), "  Ove\n     ");
	assert_string_equal(shown("Symbol", "[k] main", 1), " \n ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_stay),
		cmocka_unit_test(the_last_name_stays),
		cmocka_unit_test(nothing_measured_has_a_place_too),
		cmocka_unit_test(no_room_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
