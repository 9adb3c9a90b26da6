/* SPDX-License-Identifier: MIT */
#include "tracefmt/blob.h"
#include "tracefmt/field.h"
#include "tracefmt/tracefmt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define STR(s) ((struct sonde_str){ (s), sizeof(s) - 1 })
#define BYTES(s) ((struct sonde_bytes){ (const uint8_t *)(s), sizeof(s) - 1 })

static const char format[] =
	"name: probe\n"
	"ID: 1234\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char comm[4];\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned char [2] mac;\toffset:12;\tsize:2;\tsigned:0;\n"
	"\tfield:s16 delta;\toffset:14;\tsize:2;\tsigned:1;\n"
	"\tfield:const struct filename * __attribute__((user)) where;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u16[] ports;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:char rest[];\toffset:36;\tsize:0;\tsigned:0;\n"
	"\n"
	"print fmt: \"a\nb %d\", REC->delta\n";

static struct tracefmt *one_event(bool big_endian)
{
	struct tracefmt *t = tracefmt_new(big_endian, 8);

	assert_non_null(t);
	assert_int_equal(tracefmt_add_format(t, "my", STR(format), NULL), 0);
	return t;
}

static void test_a_format_gives_event_and_fields(void **state)
{
	struct tracefmt *t = one_event(false);
	const struct tracefmt_event *e = tracefmt_event(t, 1234);

	(void)state;
	assert_non_null(e);
	assert_ptr_equal(e, tracefmt_event_named(t, "my:probe"));
	assert_null(tracefmt_event(t, 1235));
	assert_string_equal(e->name, "probe");
	assert_string_equal(e->full_name, "my:probe");
	assert_int_equal(e->nr_fields, 10);
	assert_string_equal(e->fields[2].type, "char[4]");
	assert_int_equal(e->fields[2].flags, SONDE_TRACEPOINT_ARRAY | SONDE_TRACEPOINT_STRING);
	assert_string_equal(e->fields[3].name, "mac");
	assert_string_equal(e->fields[3].type, "unsigned char [2]");
	assert_int_equal(e->fields[5].flags, SONDE_TRACEPOINT_POINTER);
	assert_string_equal(e->fields[5].name, "where");
	assert_int_equal(e->fields[6].flags,
			 SONDE_TRACEPOINT_ARRAY | SONDE_TRACEPOINT_STRING | SONDE_TRACEPOINT_DATA_LOC);
	assert_int_equal(e->fields[7].flags, SONDE_TRACEPOINT_ARRAY | SONDE_TRACEPOINT_REL_LOC);
	assert_int_equal(e->fields[7].elem_size, 2);
	assert_int_equal(e->fields[8].flags,
			 SONDE_TRACEPOINT_ARRAY | SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_BITMASK);
	assert_int_equal(e->print_fmt.len, strlen("\"a\nb %d\", REC->delta"));
	tracefmt_free(t);
}

/* The same record as a little- and a big-endian kernel writes it. */
#define TAIL "/tmp/x\0\x01\x02\x03\x04"
static const char little[] = "\xd2\x04\0\0\x07\0\0\0shel\xaa\xbb\xfe\xff\x88\x77\x66\x55\x44\x33\x22\x11"
			     "\x24\0\x07\0\x0b\0\x04\0\0\0\0\0" TAIL;
static const char big[] = "\x04\xd2\0\0\0\0\0\x07shel\xaa\xbb\xff\xfe\x11\x22\x33\x44\x55\x66\x77\x88"
			  "\0\x07\0\x24\0\x04\0\x0b\0\0\0\0" TAIL;

static void check_values(bool big_endian, struct sonde_bytes raw)
{
	struct tracefmt *t = one_event(big_endian);
	const struct tracefmt_event *e = tracefmt_event(t, 1234);
	struct sonde_str s;
	struct sonde_bytes b;
	uint64_t v;

	assert_true(tracefmt_u64(e, tracefmt_field(e, "common_pid"), raw, &v));
	assert_int_equal(v, 7);
	assert_true(tracefmt_u64(e, tracefmt_field(e, "delta"), raw, &v));
	assert_int_equal((int64_t)v, -2);
	assert_true(tracefmt_u64(e, tracefmt_field(e, "where"), raw, &v));
	assert_int_equal(v, UINT64_C(0x1122334455667788));
	assert_true(tracefmt_string(e, tracefmt_field(e, "comm"), raw, &s));
	assert_int_equal(s.len, 4);
	assert_true(tracefmt_string(e, tracefmt_field(e, "path"), raw, &s));
	assert_int_equal(s.len, 6);
	assert_memory_equal(s.p, "/tmp/x", 6);
	assert_true(tracefmt_element(e, tracefmt_field(e, "ports"), raw, 1, &v));
	assert_int_equal(v, big_endian ? 0x0304 : 0x0403);
	assert_false(tracefmt_element(e, tracefmt_field(e, "ports"), raw, 2, &v));
	assert_true(tracefmt_bytes(e, tracefmt_field(e, "rest"), raw, &b));
	assert_int_equal(b.len, sizeof(TAIL) - 1);
	tracefmt_free(t);
}

static void test_values_in_either_byte_order(void **state)
{
	(void)state;
	check_values(false, BYTES(little));
	check_values(true, BYTES(big));
}

static void test_a_cut_record_reads_as_nothing(void **state)
{
	struct tracefmt *t = one_event(false);
	const struct tracefmt_event *e = tracefmt_event(t, 1234);
	struct sonde_bytes raw = BYTES(little), b;
	struct sonde_str s;
	uint64_t v;

	(void)state;
	raw.len = 43;   /* the string still fits, the array after it does not */
	assert_true(tracefmt_string(e, tracefmt_field(e, "path"), raw, &s));
	assert_false(tracefmt_bytes(e, tracefmt_field(e, "ports"), raw, &b));
	raw.len = 42;
	assert_false(tracefmt_string(e, tracefmt_field(e, "path"), raw, &s));
	raw.len = 15;
	assert_false(tracefmt_u64(e, tracefmt_field(e, "delta"), raw, &v));
	assert_false(tracefmt_bytes(e, tracefmt_field(e, "rest"), raw, &b));
	tracefmt_free(t);
}

static void test_texts_that_are_no_formats(void **state)
{
	struct tracefmt *t = tracefmt_new(false, 8);
	struct sonde_error err = { 0 };

	(void)state;
	assert_int_equal(tracefmt_add_format(t, "x", STR("name: a\n"), &err), -SONDE_CORRUPT);
	assert_string_equal(err.text, "event format without name or ID");
	err = (struct sonde_error){ 0 };
	assert_int_equal(tracefmt_add_format(t, "x", STR("name: a\nID: 1\n\tfield:int;\toffset:0;\tsize:4;\n"), &err),
			 -SONDE_CORRUPT);
	assert_string_equal(err.text, "field declaration \"int\" has no type and name");
	assert_int_equal(tracefmt_add_format(t, "x", STR("name: a\nID: 1\n\tfield:int b;\tsize:4;\n"), NULL),
			 -SONDE_CORRUPT);
	assert_int_equal(tracefmt_nr_events(t), 0);
	tracefmt_free(t);
}

static void test_strings_and_command_names(void **state)
{
	struct tracefmt *t = tracefmt_new(false, 8);

	(void)state;
	assert_int_equal(
		tracefmt_add_printk(t, STR("0xffffffff81000010 : \"hello \\\"you\\\"\\n\"\nrubbish\n0xa : \"b\"")), 0);
	assert_string_equal(tracefmt_printk(t, UINT64_C(0xffffffff81000010)), "hello \"you\"");
	assert_string_equal(tracefmt_printk(t, 10), "b");
	assert_null(tracefmt_printk(t, 11));
	assert_int_equal(tracefmt_add_cmdlines(t, STR("12 my shell\nx\n13 b\n12 c d\n")), 0);
	assert_string_equal(tracefmt_comm(t, 12), "c d");
	assert_string_equal(tracefmt_comm(t, 13), "b");
	assert_null(tracefmt_comm(t, -1));
	tracefmt_free(t);
}

#define EVENT "name: a\nID: 5\n"
static const char blob[] = "\x17\x08\x44tracing" "0.6\0" "\0\x08" "\0\x10\0\0"
			   "header_page\0" "\x02\0\0\0\0\0\0\0" "hp" "header_event\0" "\x03\0\0\0\0\0\0\0" "he\n"
			   "\0\0\0\0"
			   "\x01\0\0\0" "sys\0" "\x01\0\0\0" "\x0e\0\0\0\0\0\0\0" EVENT
			   "\x04\0\0\0" "0 T\n" "\x09\0\0\0" "0x1 : \"s\"" "\x04\0\0\0\0\0\0\0" "1 in";

static void test_tracing_data(void **state)
{
	struct sonde_error err = { 0 };
	struct tracefmt *t;

	(void)state;
	assert_int_equal(tracefmt_open(BYTES(blob), 0, &t, &err), 0);
	assert_int_equal(tracefmt_long_size(t), 8);
	assert_false(tracefmt_big_endian(t));
	assert_int_equal(tracefmt_nr_events(t), 1);
	assert_string_equal(tracefmt_event(t, 5)->full_name, "sys:a");
	assert_string_equal(tracefmt_printk(t, 1), "s");
	assert_string_equal(tracefmt_comm(t, 1), "in");
	tracefmt_free(t);
}

/* Each prefix is an error that keeps what was whole, but for the one that ends where command names would begin. */
static void test_tracing_data_cut_anywhere(void **state)
{
	struct sonde_bytes b = BYTES(blob);

	(void)state;
	for (size_t n = 0; n < b.len; n++) {
		uint8_t *copy = malloc(n + !n);
		struct sonde_error err = { 0 };
		struct tracefmt *t;
		int r;

		memcpy(copy, b.p, n);
		r = tracefmt_open((struct sonde_bytes){ copy, n }, 0, &t, &err);
		assert_int_equal(r, n == b.len - 12 ? 0 : -SONDE_TRUNCATED);
		assert_int_equal(t && tracefmt_nr_events(t), n >= b.len - 33);
		tracefmt_free(t);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_format_gives_event_and_fields),
		cmocka_unit_test(test_values_in_either_byte_order),
		cmocka_unit_test(test_a_cut_record_reads_as_nothing),
		cmocka_unit_test(test_texts_that_are_no_formats),
		cmocka_unit_test(test_strings_and_command_names),
		cmocka_unit_test(test_tracing_data),
		cmocka_unit_test(test_tracing_data_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
