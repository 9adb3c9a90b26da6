/* SPDX-License-Identifier: MIT */
#include <sonde/dat_writer.h>
#include <sonde/sql.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* One event, with fields that are named as a word of SQL and as a column of every view. */
static void write_allocation(const char *path)
{
	static const char format[] =
		"name: page_alloc\nID: 42\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned int order;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned int pid;\toffset:12;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"order=%u\", REC->order\n";
	const struct {
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		uint32_t order, pid_field;
	} event = { 42, 0, 0, 77, 3, 5 };
	struct sonde_dat_writer *w = sonde_dat_writer_new();

	assert_int_equal(sonde_dat_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_dat_writer_add_format(w, "kmem", format, strlen(format)), 0);
	assert_int_equal(sonde_dat_writer_write(w, 0, 0, 1000, &event, sizeof(event)), 0);
	assert_int_equal(sonde_dat_writer_finish(w), 0);
	sonde_dat_writer_free(w);
}

static void test_columns_may_have_names_of_sql(void **state)
{
	char path[] = "/tmp/sonde-sql-XXXXXX";
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_sql *q = sonde_sql_new();
	int fd = mkstemp(path), r;

	(void)state;
	assert_true(fd >= 0);
	write_allocation(path);
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	r = sonde_sql_open(q, t, NULL);
	if (r != -SONDE_UNSUPPORTED) {
		assert_string_equal(sonde_sql_error(q)->text, "");
		sonde_sql_prepare(q, "select \"order\", field_pid from tp_kmem_page_alloc", NULL);
		assert_string_equal(sonde_sql_error(q)->text, "");
		assert_int_equal(sonde_sql_step(q), 1);
		assert_int_equal(sonde_sql_value_at(q, 0)->integer, 3);
		assert_int_equal(sonde_sql_value_at(q, 1)->integer, 5);
	}
	sonde_sql_free(q);
	sonde_trace_free(t);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_asked_after_a_failed_opening),
		cmocka_unit_test(test_columns_may_have_names_of_sql),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
