/* SPDX-License-Identifier: MIT */
#include "tracefmt/redact/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMMON \
	"name: %s\nID: 7\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\nprint fmt: \"\"\n"
#define FIELD(decl, offset, size) "\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"

struct changed {
	char to[128];
	struct pseudonyms names;
};

/* The new bytes of an event of @n bytes, for a format with the given fields. */
static struct changed change(const char *system, const char *name, const char *fields, const void *raw, size_t n,
			     bool keeps_comms)
{
	struct tracefmt *t = tracefmt_new(false, 8);
	struct changed c = { 0 };
	char text[2048];
	int len = snprintf(text, sizeof(text), COMMON, name, fields);

	assert_non_null(t);
	assert_int_equal(tracefmt_add_format(t, system, (struct sonde_str){ text, (size_t)len }, NULL), 0);
	memset(c.to, 'x', sizeof(c.to));
	assert_int_equal(redact_fields(&c.names, tracefmt_event(t, 7), (struct sonde_bytes){ raw, n }, keeps_comms,
				       (uint8_t *)c.to), 0);
	pseudonyms_free(&c.names);
	tracefmt_free(t);
	return c;
}

static void each_kind_of_field(void **state)
{
	static const char fields[] = FIELD("u32 number", 8, 4) FIELD("char comm[8]", 12, 8)
		FIELD("__data_loc char[] file", 20, 4) FIELD("__rel_loc char[] arg", 24, 4) FIELD("u8 mac[6]", 28, 6)
		FIELD("unsigned long words[1]", 36, 8) FIELD("struct in6 wide", 44, 12);
	static const char raw[] = "\7\0\1\2\3\0\0\0" "4444" "ls\0hide" "\0"
		"\x38\0\x08\0" "\x24\0\x08\0" "macmac" "gp" "88888888" "wide__struct" "/etc/pw\0" "secret\0q" "tail";
	static const char want[] = "\7\0\1\2\3\0\0\0" "4444" "ls\0\0\0\0\0\0"
		"\x38\0\x08\0" "\x24\0\x08\0" "\0\0\0\0\0\0" "\0\0" "88888888" "\0\0\0\0\0\0\0\0\0\0\0\0" "/dso-1\0\0"
		"text-1\0\0" "\0\0\0";
	struct changed c = change("sched", "any", fields, raw, sizeof(raw) - 1, true);

	(void)state;
	assert_memory_equal(c.to, want, sizeof(want));
	assert_int_equal(c.to[sizeof(raw) - 1], 'x');
	c = change("sched", "any", fields, raw, sizeof(raw) - 1, false);
	assert_memory_equal(c.to + 12, "comm-1\0\0", 8);
}

/* An argument of a probe that is called "command" is no name of a command, nor one that ends in "comm". */
static void strings_of_probes_are_no_comms(void **state)
{
	static const char fields[] = FIELD("unsigned long __probe_ip", 8, 8) FIELD("char comm[8]", 16, 8);
	static const char plain[] = FIELD("unsigned long ip", 8, 8) FIELD("char command[8]", 16, 8);
	static const char raw[] = "\7\0\1\2\3\0\0\0" "88888888" "private";
	struct changed c = change("probe_x", "any", fields, raw, sizeof(raw), true);

	(void)state;
	assert_memory_equal(c.to + 16, "comm-1\0", 8);
	c = change("sched", "any", plain, raw, sizeof(raw), true);
	assert_memory_equal(c.to + 16, "comm-1\0", 8);
}

static void events_of_tracers(void **state)
{
	static const char print[] = FIELD("unsigned long ip", 8, 8) FIELD("char buf[]", 16, 0);
	static const char bprint[] = FIELD("unsigned long ip", 8, 8) FIELD("u32 buf[]", 16, 0);
	static const char stack[] = FIELD("int size", 8, 4) FIELD("unsigned long caller[1]", 16, 8);
	static const char raw[] = "\7\0\1\2\3\0\0\0" "88888888" "a marker of mine";
	static const char frames[] = "\7\0\1\2\3\0\0\0" "\2\0\0\0gap_" "\x10\x20\x30\x40\x50\x60\0\0" "in a row";
	struct changed c = change("ftrace", "print", print, raw, sizeof(raw), true);

	(void)state;
	assert_memory_equal(c.to + 16, "text-1\0\0\0\0\0\0\0\0\0\0\0", 17);
	c = change("ftrace", "raw_data", print, raw, sizeof(raw), true);
	assert_memory_equal(c.to + 16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);
	c = change("ftrace", "bprint", bprint, raw, sizeof(raw), true);
	assert_memory_equal(c.to + 8, "88888888\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 25);
	c = change("other", "bprint", bprint, raw, sizeof(raw) - 1, true);
	assert_memory_equal(c.to + 16, "a marker of mine", 16);  /* numbers of four bytes */
	c = change("ftrace", "kernel_stack", stack, frames, sizeof(frames) - 1, true);
	assert_memory_equal(c.to + 8, "\2\0\0\0\0\0\0\0" "\x10\x20\x30\x40\x50\x60\0\0" "in a row", 24);
	c = change("ftrace", "user_stack", stack, frames, sizeof(frames) - 1, true);
	assert_memory_equal(c.to + 16, "\x10\x20\x30\x40\x50\x60\0\0" "\0\0\0\0\0\0\0\0", 16);
}

/* Where fields overlap, or point out of the record, nothing comes back. */
static void fields_that_overlap(void **state)
{
	static const char fields[] = FIELD("char text[8]", 8, 8) FIELD("u64 number", 8, 8) FIELD("u32 words[2]", 8, 8)
		FIELD("char comm[8]", 8, 8) FIELD("__data_loc char[] out", 16, 4)
		FIELD("__data_loc char[] rows[2]", 20, 8);
	static const char raw[] = "\7\0\1\2\3\0\0\0" "private" "\0" "\x20\0\xff\0" "strings_";
	struct changed c = change("sched", "any", fields, raw, sizeof(raw) - 1, true);

	(void)state;
	assert_memory_equal(c.to + 8, "text-1\0\0", 8);
	assert_memory_equal(c.to + 16, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
}

static void an_event_without_a_format(void **state)
{
	static const char raw[] = "\7\0\1\2\3\0\0\0private";
	struct pseudonyms names = { 0 };
	uint8_t to[sizeof(raw)];

	(void)state;
	assert_int_equal(redact_fields(&names, NULL, (struct sonde_bytes){ (const uint8_t *)raw, sizeof(raw) }, true,
				       to), 0);
	assert_memory_equal(to, "\7\0\1\2\3\0\0\0\0\0\0\0\0\0\0\0", sizeof(raw));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_field),     cmocka_unit_test(strings_of_probes_are_no_comms),
		cmocka_unit_test(events_of_tracers),      cmocka_unit_test(fields_that_overlap),
		cmocka_unit_test(an_event_without_a_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
