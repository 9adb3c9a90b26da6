/* SPDX-License-Identifier: MIT */
/* metadata_test.c - footers whose claims would cost a reader more than the file is large */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "parquet/footer.h"
#include "parquet/metadata.h"

enum { PAGE_BYTES = 60, GROUPS_MAX = 4 };

static const struct parquet_column list = { "list", PARQUET_INT64_LIST };

/* Reads the footer of a file with so many row groups of one row, each with its pages at these places. */
static int read_footer(const struct column_place *places, size_t nr_groups, uint64_t nr_values,
		       struct sonde_error *err)
{
	struct column_writer c = { .column = &list, .pages.n = PAGE_BYTES, .nr_values = nr_values };
	const struct footer_order no_order = { NULL, 0 };
	struct buf out = BUF_MEMORY, groups = BUF_MEMORY;
	struct footer f = { &list, 1, nr_groups, &groups, nr_groups };
	struct arena arena = { 0 };
	struct metadata m;
	struct image file;
	int r;

	*err = (struct sonde_error){ .sz = sizeof(*err) };
	buf_str(&out, PARQUET_MAGIC);
	buf_pad(&out, 0, GROUPS_MAX * PAGE_BYTES);
	for (size_t i = 0; i < nr_groups; i++)
		footer_add_group(&groups, &c, &places[i], 1, 1, &no_order);
	footer_put(&out, &f);
	image_memory(&file, out.p, out.n);
	r = metadata_read(&m, &file, &list, 1, &arena, err);
	arena_free(&arena);
	buf_free(&groups);
	buf_free(&out);
	return r;
}

static void test_row_groups_do_not_share_pages(void **state)
{
	static const struct column_place apart[GROUPS_MAX] = { { 4, 4 }, { 64, 64 }, { 124, 124 }, { 184, 184 } };
	static const struct column_place same[GROUPS_MAX + 1] = { { 4, 4 }, { 4, 4 }, { 4, 4 }, { 4, 4 }, { 4, 4 } };
	struct sonde_error err;

	(void)state;
	assert_int_equal(read_footer(apart, GROUPS_MAX, 1, &err), 0);
	assert_int_equal(read_footer(same, GROUPS_MAX + 1, 1, &err), -SONDE_CORRUPT);
	assert_string_equal(err.text, "the pages at 4 have 60 bytes, but the file has only 4 left for pages");
}

static void test_lists_have_no_more_values_than_runs_can_tell(void **state)
{
	static const struct column_place place = { 4, 4 };
	struct sonde_error err;

	(void)state;
	assert_int_equal(read_footer(&place, 1, 1000000, &err), 0);
	assert_int_equal(read_footer(&place, 1, UINT64_C(1) << 40, &err), -SONDE_CORRUPT);
	assert_string_equal(err.text, "column list has 1099511627776 values in 244 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_groups_do_not_share_pages),
		cmocka_unit_test(test_lists_have_no_more_values_than_runs_can_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
