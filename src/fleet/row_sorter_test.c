/* SPDX-License-Identifier: MIT */
#include "fleet/row_sorter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/bytes.h"

enum { NUMBER, NAME, LIST, NR_COLUMNS };

static const struct parquet_column columns[NR_COLUMNS] = {
	[NUMBER] = { "number", PARQUET_INT64 },
	[NAME] = { "name", PARQUET_STRING },
	[LIST] = { "list", PARQUET_INT64_LIST },
};

static const struct sort_column by_name_then_number[] = { { NAME }, { NUMBER, .descending = true } };

static void put(struct row_sorter *s, int64_t number, const char *name)
{
	const int64_t list[] = { number, -number };

	row_sorter_put_int(s, NUMBER, number);
	row_sorter_put_text(s, NAME, (struct sonde_str){ name, strlen(name) });
	row_sorter_put_list(s, LIST, list, (size_t)(number % 3));
	assert_int_equal(row_sorter_end_row(s), 0);
}

static void check(struct row_sorter *s, int64_t number, const char *name)
{
	struct sonde_str text;
	const int64_t *list;
	size_t n;

	assert_int_equal(row_sorter_next(s), 1);
	text = row_sorter_text(s, NAME);
	assert_int_equal(text.len, strlen(name));
	assert_memory_equal(text.p, name, text.len);
	assert_int_equal(row_sorter_int(s, NUMBER), number);
	list = row_sorter_list(s, LIST, &n);
	assert_int_equal(n, number % 3);
	if (n)
		assert_int_equal(list[0], number);
	if (n > 1)
		assert_int_equal(list[1], -number);
}

/* Every name has the numbers 0 to 99, put in another order; a run is written after so many rows, 0: none. */
static void sort(size_t run_rows, size_t nr_unique)
{
	const struct sort_order order = { by_name_then_number, ARRAY_SIZE(by_name_then_number), nr_unique };
	struct row_sorter *s = row_sorter_new(columns, NR_COLUMNS, &order, UINT64_MAX, NULL);
	char name[16];

	assert_non_null(s);
	for (size_t i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "n%02zu", i * 7 % 20);
		put(s, (int64_t)(i * 7 / 20 % 100), name);
		if (run_rows && i % run_rows == run_rows - 1)
			assert_int_equal(row_sorter_spill(s), 0);
	}
	assert_int_equal(row_sorter_begin(s), 0);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "n%02d", i);
		for (int64_t number = 99; number >= (nr_unique == 1 ? 99 : 0); number--)
			check(s, number, name);
	}
	assert_int_equal(row_sorter_next(s), 0);
	row_sorter_free(s);
}

static void test_in_memory(void **state)
{
	(void)state;
	sort(0, 0);
	sort(0, 1);
	sort(0, 2);
}

/* 10 runs; 200, which are merged to one several times. */
static void test_in_runs(void **state)
{
	(void)state;
	sort(190, 0);
	sort(190, 1);
	sort(10, 0);
	sort(10, 2);
}

/* The first of equal rows is kept, which is the one that was put first. */
static void test_equal_rows(void **state)
{
	static const struct sort_order order = { by_name_then_number, 1, 1 };

	(void)state;
	for (int runs = 0; runs < 2; runs++) {
		struct row_sorter *s = row_sorter_new(columns, NR_COLUMNS, &order, UINT64_MAX, NULL);

		for (int64_t i = 0; i < 4; i++) {
			put(s, i + 1, i % 2 ? "b" : "a");
			if (runs)
				assert_int_equal(row_sorter_spill(s), 0);
		}
		assert_int_equal(row_sorter_begin(s), 0);
		check(s, 1, "a");
		check(s, 2, "b");
		assert_int_equal(row_sorter_next(s), 0);
		row_sorter_free(s);
	}
}

static void test_truncate(void **state)
{
	static const struct sort_order order = { by_name_then_number, 2, 0 };
	struct row_sorter *s = row_sorter_new(columns, NR_COLUMNS, &order, 100000, NULL);

	(void)state;
	put(s, 1, "kept");
	put(s, 2, "dropped");
	row_sorter_truncate(s, 1);
	put(s, 5, "behind");
	assert_int_equal(row_sorter_rows(s), 2);
	assert_true(row_sorter_has_room(s, 1000));
	assert_false(row_sorter_has_room(s, 100000));
	assert_false(row_sorter_has_room(s, UINT64_MAX));
	assert_int_equal(row_sorter_begin(s), 0);
	check(s, 5, "behind");
	check(s, 1, "kept");
	assert_int_equal(row_sorter_next(s), 0);
	row_sorter_free(s);
}

static void test_no_rows(void **state)
{
	static const struct sort_order order = { by_name_then_number, 2, 1 };
	struct row_sorter *s = row_sorter_new(columns, NR_COLUMNS, &order, 0, NULL);

	(void)state;
	assert_int_equal(row_sorter_spill(s), 0);
	assert_int_equal(row_sorter_begin(s), 0);
	assert_int_equal(row_sorter_next(s), 0);
	row_sorter_free(s);
}

/* Runs that cannot be written: the failure stays. */
static void test_no_place_for_runs(void **state)
{
	static const struct sort_order order = { by_name_then_number, 2, 0 };
	struct sonde_error err = { .sz = sizeof(err) };
	struct row_sorter *s = row_sorter_new(columns, NR_COLUMNS, &order, UINT64_MAX, &err);

	(void)state;
	put(s, 1, "a");
	setenv("TMPDIR", "/nowhere", 1);
	assert_true(row_sorter_spill(s) < 0);
	unsetenv("TMPDIR");
	assert_true(row_sorter_begin(s) < 0);
	assert_int_equal(err.code, SONDE_SYSTEM);
	row_sorter_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_memory),
		cmocka_unit_test(test_in_runs),
		cmocka_unit_test(test_equal_rows),
		cmocka_unit_test(test_truncate),
		cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_no_place_for_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
