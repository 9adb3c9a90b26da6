/* SPDX-License-Identifier: MIT */
#include "export/arrow/table_batches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TASK, RUN, SHARE, WORD, REAL };
static const struct sonde_table_column columns[] = {
	{ "task", "task", NULL, SONDE_TABLE_TASK, 16, "a task" },
	{ "run", "run", NULL, SONDE_TABLE_DURATION, 9, "a duration" },
	{ "share", "share", "%", SONDE_TABLE_SHARE, 6, "a share" },
	{ "word", "word", NULL, SONDE_TABLE_TEXT, 6, "a word" },
	{ "real", "real", NULL, SONDE_TABLE_REAL, 6, "a number with a fraction" },
	{ 0 },
};
static const struct table_schema schema = { { "test", "A test", "a row" }, columns };
static const struct sonde_arrow_opts two_rows = { .sz = sizeof(two_rows), .batch_rows = 2, .batch_bytes = 1 << 20 };

static void fill(struct sonde_table *t)
{
	static const int32_t pids[] = { 7, -1, 7 };

	table_init(t, &schema);
	for (int i = 0; i < 3; i++) {
		uint32_t task = table_task(t, 8 + i, pids[i], i == 1 ? "" : "name");

		assert_int_equal(table_row(t), 0);
		if (i < 2)
			table_put_task(t, TASK, task);
		if (i != 1)
			table_put(t, RUN, 1000 + (uint64_t)i);
		table_put_share(t, SHARE, 0.25 * i);
		assert_int_equal(table_put_text(t, WORD, i ? "b" : "a"), 0);
		table_put_real(t, REAL, -1.5);
	}
}

/* Is row i of an array a value? */
static bool is_valid(const struct ArrowArray *a, size_t i)
{
	const uint8_t *bits = a->buffers[0];

	return !bits || bits[i / 8] >> i % 8 & 1;
}

/* A value that is not there is null, never 0; a task is a struct. */
static void values(void **state)
{
	struct sonde_table t;
	struct table_batches b;
	struct ArrowArray a;

	(void)state;
	fill(&t);
	assert_int_equal(table_batches_init(&b, &t, &two_rows), 0);
	assert_int_equal(table_batches_next(&b, &a), 1);
	assert_int_equal(a.length, 2);
	assert_int_equal(a.n_children, 5);
	assert_int_equal(a.children[TASK]->n_children, 3);
	assert_int_equal(((const int32_t *)a.children[TASK]->children[1]->buffers[1])[1], 9);
	assert_true(is_valid(a.children[TASK]->children[2], 0));
	assert_false(is_valid(a.children[TASK]->children[2], 1));
	assert_int_equal(((const int64_t *)a.children[RUN]->buffers[1])[0], 1000);
	assert_false(is_valid(a.children[RUN], 1));
	assert_true(((const double *)a.children[SHARE]->buffers[1])[1] == 0.25);
	assert_int_equal(a.children[WORD]->dictionary->length, 2);
	assert_true(((const double *)a.children[REAL]->buffers[1])[0] == -1.5);
	a.release(&a);
	assert_int_equal(table_batches_next(&b, &a), 1);
	assert_int_equal(a.length, 1);
	assert_false(is_valid(a.children[TASK], 0));
	assert_int_equal(((const int64_t *)a.children[RUN]->buffers[1])[0], 1002);
	a.release(&a);
	assert_int_equal(table_batches_next(&b, &a), 0);
	table_batches_free(&b);
	table_release(&t);
}

static void types(void **state)
{
	struct sonde_table t;
	struct table_batches b;
	struct ArrowSchema s;
	static const char *const formats[] = { "+s", "l", "g", "i", "g" };

	(void)state;
	table_init(&t, &schema);
	assert_int_equal(table_batches_init(&b, &t, &two_rows), 0);
	assert_int_equal(arrow_column_schema(&b.root, NULL, &s), 0);
	assert_int_equal(s.n_children, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(s.children[i]->format, formats[i]);
		assert_string_equal(s.children[i]->name, columns[i].name);
	}
	s.release(&s);
	table_batches_free(&b);
	table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(values), cmocka_unit_test(types) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
