/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "table/table.h"
#include "table/table_csv.h"
#include "table/table_json.h"
#include "table/table_text.h"

enum { TASK, RUNS, RUN, AT, SHARE, WORD, HIDDEN };
static const struct sonde_table_column columns[] = {
	{ "task", "comm", NULL, SONDE_TABLE_TASK, 16, "a task" },
	{ "runs", "runs", "(count)", SONDE_TABLE_COUNT, 7, "a count" },
	{ "run", "run-time", "(msec)", SONDE_TABLE_DURATION, 9, "a duration" },
	{ "at", "at", NULL, SONDE_TABLE_TIME, 12, "a time" },
	{ "share", "share", "%", SONDE_TABLE_SHARE, 6, "a share" },
	{ "word", "word", NULL, SONDE_TABLE_TEXT, 6, "a word" },
	{ "hidden", "", NULL, SONDE_TABLE_COUNT, 6, "for programs only" },
	{ 0 },
};
static const struct table_schema schema = { { "test", "A test", "a row" }, columns };

static void add(struct sonde_table *t, int32_t tid, int32_t pid, const char *comm, uint64_t run)
{
	const uint32_t task = table_task(t, tid, pid, comm);

	assert_int_not_equal(task, UINT32_MAX);
	assert_int_equal(table_row(t), 0);
	table_put_task(t, TASK, task);
	if (run != SONDE_NONE)
		table_put(t, RUN, run);
}

static int begin(void **state)
{
	static struct sonde_table t;

	table_init(&t, &schema);
	add(&t, 7, 7, "first", 1999);
	table_put(&t, RUNS, 2);
	table_put(&t, AT, 1358011685999);
	table_put_share(&t, SHARE, 12.5);
	assert_int_equal(table_put_text(&t, WORD, "a,\"b\""), 0);
	table_put(&t, HIDDEN, 5);
	add(&t, 8, 7, "=1\033[2J", SONDE_NONE);
	add(&t, 0, 0, "", 12034567);
	add(&t, 9, -1, "", 1999);
	*state = &t;
	return 0;
}

static int end(void **state)
{
	table_release(*state);
	return 0;
}

static void check(struct buf *out, const char *expected)
{
	buf_char(out, '\0');
	assert_int_equal(out->failed, 0);
	assert_string_equal(out->p, expected);
	buf_free(out);
}

static void values_that_were_not_put_are_not_there(void **state)
{
	struct sonde_table *t = *state;
	const struct sonde_table_value *v = table_value(t, 1, RUN);

	assert_false(v->known);
	assert_int_equal(v->kind, SONDE_TABLE_DURATION);
	v = table_value(t, 1, TASK);
	assert_true(v->known);
	assert_int_equal(v->tid, 8);
	assert_int_equal(v->pid, 7);
	assert_null(table_value(t, 4, TASK));
	assert_null(table_value(t, 0, HIDDEN + 1));
}

/* Times are cut, not rounded; no byte of a name drives a terminal. */
static void text(void **state)
{
	struct buf out = BUF_MEMORY;

	table_text(*state, &out);
	check(&out, "            comm     runs   run-time            at   share    word\n"
		    "                  (count)     (msec)                     %\n"
		    "------------------------------------------------------------------\n"
		    "        first[7]        2      0.001   1358.011685   12.50   a,\"b\"\n"
		    "     =1.[2J[8/7]        -          -             -       -       -\n"
		    "          <idle>        -     12.034             -       -       -\n"
		    "           :9[9]        -      0.001             -       -       -\n");
}

static void json(void **state)
{
	struct buf out = BUF_MEMORY;
	struct json j = json_new(&out);

	table_json(*state, &j);
	buf_char(&out, '\0');
	assert_non_null(strstr(out.p, "\"rows\":[[{\"comm\":\"first\",\"tid\":7,\"pid\":7},2,1999,1358011685999,12.5,"
				      "\"a,\\\"b\\\"\",5],"));
	assert_non_null(strstr(out.p, "[{\"comm\":\"=1\\u001b[2J\",\"tid\":8,\"pid\":7},"
				      "null,null,null,null,null,null]"));
	assert_non_null(strstr(out.p, "[{\"comm\":\"\",\"tid\":9,\"pid\":null},null,1999,null,null,null,null]]}"));
	assert_non_null(strstr(out.p, "{\"name\":\"run\",\"kind\":\"duration_ns\",\"help\":\"a duration\"}"));
	buf_free(&out);
}

/* Spreadsheets take no name for a formula. */
static void csv(void **state)
{
	struct buf out = BUF_MEMORY;

	table_csv(*state, &out);
	check(&out, "task,task_tid,task_pid,runs,run,at,share,word,hidden\n"
		    "\"first\",7,7,2,1999,1358011685999,12.500000,\"a,\"\"b\"\"\",5\n"
		    "\"'=1\xef\xbf\xbd[2J\",8,7,,,,,,\n"
		    ",0,0,,12034567,,,,\n"
		    ",9,,,1999,,,,\n");
}

/* The largest first, unknown ones last; equal ones as they were. */
static void sort(void **state)
{
	struct sonde_table *t = *state;
	static const int32_t order[] = { 0, 7, 9, 8 };
	static const size_t run = RUN;

	assert_int_equal(table_sort(t, &run, 1), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(table_value(t, i, TASK)->tid, order[i]);
	assert_int_equal(table_value(t, 1, RUNS)->number, 2);
	assert_string_equal(table_value(t, 1, WORD)->text, "a,\"b\"");
}

/* Of equal rows the second column decides, and shares are numbers of their own. */
static void sort_by_two(void **state)
{
	struct sonde_table *t = *state;
	static const size_t run_share[] = { RUN, SHARE }, share_run[] = { SHARE, RUN };
	static const int32_t by_run[] = { 0, 9, 7, 8 }, by_share[] = { 9, 7, 0, 8 };

	table_put_share(t, SHARE, 90);
	assert_int_equal(table_sort(t, run_share, 2), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(table_value(t, i, TASK)->tid, by_run[i]);
	assert_int_equal(table_sort(t, share_run, 2), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(table_value(t, i, TASK)->tid, by_share[i]);
}

/* Each writer has them; the largest is first, whatever its sign. */
static void numbers_with_a_fraction(void **state)
{
	static const struct sonde_table_column real_columns[] = {
		{ "rate", "rate", "1/s", SONDE_TABLE_REAL, 8, "a rate" }, { 0 },
	};
	static const struct table_schema real_schema = { { "rates", "Rates", "a rate" }, real_columns };
	static const double values[] = { -1.5, -0.25, 2048.125 };
	static const size_t by_rate[] = { 0 };
	struct buf out = BUF_MEMORY, as_json = BUF_MEMORY, as_csv = BUF_MEMORY;
	struct json j = json_new(&as_json);
	struct sonde_table t;

	(void)state;
	table_init(&t, &real_schema);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		assert_int_equal(table_row(&t), 0);
		table_put_real(&t, 0, values[i]);
	}
	assert_int_equal(table_row(&t), 0);
	assert_int_equal(table_sort(&t, by_rate, 1), 0);
	assert_true(table_value(&t, 0, 0)->real == 2048.125);
	assert_false(table_value(&t, 3, 0)->known);
	table_text(&t, &out);
	check(&out, "    rate\n     1/s\n--------\n 2048.12\n   -0.25\n   -1.50\n       -\n");
	table_json(&t, &j);
	buf_char(&as_json, '\0');
	assert_non_null(strstr(as_json.p, "\"rows\":[[2048.125],[-0.25],[-1.5],[null]]}"));
	assert_non_null(strstr(as_json.p, "\"kind\":\"real\""));
	buf_free(&as_json);
	table_csv(&t, &as_csv);
	check(&as_csv, "rate\n2048.125000\n-0.250000\n-1.500000\n\n");
	table_release(&t);
}

static void an_empty_table(void **state)
{
	struct sonde_table t;
	struct buf out = BUF_MEMORY;

	(void)state;
	table_init(&t, &schema);
	assert_int_equal(table_sort(&t, NULL, 0), 0);
	assert_null(table_value(&t, 0, 0));
	table_csv(&t, &out);
	check(&out, "task,task_tid,task_pid,runs,run,at,share,word,hidden\n");
	table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_that_were_not_put_are_not_there, begin, end),
		cmocka_unit_test_setup_teardown(text, begin, end),
		cmocka_unit_test_setup_teardown(json, begin, end),
		cmocka_unit_test_setup_teardown(csv, begin, end),
		cmocka_unit_test_setup_teardown(sort, begin, end),
		cmocka_unit_test_setup_teardown(sort_by_two, begin, end),
		cmocka_unit_test(numbers_with_a_fraction),
		cmocka_unit_test(an_empty_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
