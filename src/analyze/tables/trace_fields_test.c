/* SPDX-License-Identifier: MIT */
#include "analyze/tables/trace_fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char format[] =
	"name: probe\n"
	"ID: 7\n"
	"format:\n"
	"\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char comm[4];\toffset:4;\tsize:4;\tsigned:0;\n"
	"\tfield:int state;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"comm=%s state=%s\", REC->comm, REC->state ? \"S\" : \"R\"\n";

static const uint8_t record[12] = { 9, 0, 0, 0, 'b', 'a', 's', 'h', 1 };
static const struct sonde_bytes raw = { record, sizeof(record) };

static struct tracefmt *formats;
static struct trace_fields fields;

static int set_up(void **state)
{
	(void)state;
	formats = tracefmt_new(false, 8);
	assert_non_null(formats);
	return tracefmt_add_format(formats, "my", (struct sonde_str){ format, sizeof(format) - 1 }, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	trace_fields_free(&fields);
	tracefmt_free(formats);
	fields = (struct trace_fields){ 0 };
	return 0;
}

/* The values of the record with one word, each followed by ';'. */
static const char *values(const char *word, struct sonde_bytes of)
{
	static char text[128];
	uint32_t number;

	trace_fields_free(&fields);
	fields = (struct trace_fields){ 0 };
	assert_int_equal(trace_fields_init(&fields, &word, 1, false), 0);
	number = trace_fields_number(&fields, 2, tracefmt_event(formats, 7), of);
	assert_int_not_equal(number, 0);
	text[0] = '\0';
	for (size_t i = 0; i < trace_fields_columns(&fields, 2)->n; i++)
		strcat(strcat(text, trace_fields_value(&fields, number, i)), ";");
	return text;
}

static void test_words_name_fields(void **state)
{
	(void)state;
	assert_string_equal(values("comm", raw), "bash;");
	assert_true(trace_fields_has(&fields, "comm", 4));
	assert_string_equal(values("state", raw), "S;");
	assert_string_equal(values("state/raw", raw), "1;");
	assert_string_equal(values("prob.state", raw), "S;");
	assert_string_equal(values("my:probe.common_pid", raw), "9;");
	assert_string_equal(values("my:probe.*", raw), "bash;S;");
	assert_string_equal(values("trace_fields/raw", raw), "bash;1;");
}

static void test_other_words_name_nothing(void **state)
{
	static const char *const words[] = { "", ".", "/raw", "stat", "my:prob.state", "other.state", "state/row",
					    "comm." };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_string_equal(values(words[i], raw), "");
		assert_false(trace_fields_has(&fields, words[i], strlen(words[i])));
	}
}

static void test_equal_values_have_one_number(void **state)
{
	static const char *const words[] = { "comm", "state" };
	uint8_t other[sizeof(record)];
	uint32_t first;

	(void)state;
	memcpy(other, record, sizeof(other));
	other[0] = 10;
	assert_int_equal(trace_fields_init(&fields, words, 2, false), 0);
	first = trace_fields_number(&fields, 0, tracefmt_event(formats, 7), raw);
	assert_int_equal(trace_fields_number(&fields, 0, tracefmt_event(formats, 7),
					     (struct sonde_bytes){ other, sizeof(other) }), first);
	other[8] = 0;
	assert_int_not_equal(trace_fields_number(&fields, 0, tracefmt_event(formats, 7),
						 (struct sonde_bytes){ other, sizeof(other) }), first);
}

static void test_fields_beyond_the_last_column_are_left_out(void **state)
{
	char text[2048] = "name: wide\nID: 8\nformat:\n";
	uint8_t bytes[TRACE_COLUMNS_MAX + 2] = { 0 };
	static const char *const words[] = { "*", "f21", "f22" };

	(void)state;
	for (int i = 0; i < TRACE_COLUMNS_MAX + 2; i++)
		sprintf(text + strlen(text), "\tfield:u8 f%d;\toffset:%d;\tsize:1;\tsigned:0;\n", i, i);
	strcat(text, "\nprint fmt: \"\"\n");
	assert_int_equal(tracefmt_add_format(formats, "my", (struct sonde_str){ text, strlen(text) }, NULL), 0);
	assert_int_equal(trace_fields_init(&fields, words, 3, false), 0);
	assert_int_not_equal(trace_fields_number(&fields, 0, tracefmt_event(formats, 8),
						 (struct sonde_bytes){ bytes, sizeof(bytes) }), 0);
	assert_int_equal(trace_fields_columns(&fields, 0)->n, TRACE_COLUMNS_MAX);
	assert_true(trace_fields_columns(&fields, 0)->left_out);
	assert_string_equal(trace_fields_unknown(&fields), "f22");
}

static void test_a_cut_record_has_what_it_has(void **state)
{
	(void)state;
	assert_string_equal(values("common_pid", (struct sonde_bytes){ record, 4 }), "9;");
	assert_string_equal(values("state/raw", (struct sonde_bytes){ record, 10 }), "(cut);");
	assert_string_equal(values("state/raw", (struct sonde_bytes){ record, 0 }), "(cut);");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words_name_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_words_name_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_equal_values_have_one_number, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fields_beyond_the_last_column_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_cut_record_has_what_it_has, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
