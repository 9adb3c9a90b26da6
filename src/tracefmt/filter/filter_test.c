/* SPDX-License-Identifier: MIT */
#include "tracefmt/filter/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static const char switch_format[] = "name: sched_switch\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:int next_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int flags;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 address;\toffset:32;\tsize:8;\tsigned:0;\n\nprint fmt: \"%d\", REC->next_pid\n";

struct filtered_record {
	uint16_t type;
	int32_t common_pid;
	char next_comm[16];
	int32_t next_pid;
	uint32_t flags;
	uint64_t address;
};

static int load_symbols(void *ctx, struct buf *out)
{
	(void)ctx;
	buf_str(out, "ffffffff81000000 T do_work\nffffffff81000100 T do_more\n");
	return 0;
}

struct set {
	struct tracefmt *formats;
	const struct tracefmt_event *event;
};

static int setup(void **state)
{
	static struct set s;

	s.formats = tracefmt_new(host_is_big_endian(), 8);
	assert_int_equal(tracefmt_add_format(s.formats, "sched", (struct sonde_str){ switch_format,
		strlen(switch_format) }, NULL), 0);
	tracefmt_symbols_from(s.formats, load_symbols, NULL);
	s.event = tracefmt_event(s.formats, 1);
	*state = &s;
	return 0;
}

static int teardown(void **state)
{
	tracefmt_free(((struct set *)*state)->formats);
	return 0;
}

static bool holds(const struct set *s, const char *expression)
{
	const struct filtered_record r = { .type = 1,
					   .common_pid = 9,
					   .next_comm = "kworker/1:0",
					   .next_pid = -3,
					   .flags = 0x94,
					   .address = UINT64_C(0xffffffff81000010) };
	struct sonde_error err = { .file_offset = SONDE_NONE };
	struct tracefmt_filter *f = NULL;
	char text[256] = "sched_switch:";
	bool result;

	strncat(text, expression, sizeof(text) - strlen(text) - 1);
	if (tracefmt_filter_new(&f, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	result = tracefmt_filter_match(f, &(struct tracefmt_candidate){ .event = s->event, .raw = { (const uint8_t *)&r,
		sizeof(r) },
									.comm = "swapper", .cpu = 2 });
	tracefmt_filter_free(f);
	return result;
}

static void test_expressions_hold_or_not(void **state)
{
	static const char *const yes[] = {
		"next_pid == -3", "next_pid<0", "next_pid >= -3 && next_pid <= -3", "next_pid != 3",
		"common_pid == 011", "common_pid==0x9",
		"flags & 4", "flags & 15 == 4", "(flags & 0xf) == 4", "flags >> 4 == 9", "flags + 1 == 0x95",
		"flags % 10 == 8", "flags / 37 == 4",
		"2 + 3 * 4 == 14", "10 - 3 - 2 == 5", "~0 == 0xffffffffffffffff", "!(flags == 1)", "!0", "flags > -1",
		"address > -1",
		"next_comm == 'kworker/1:0'", "next_comm == \"kworker/1:0\"", "next_comm != \"kworker\"",
		"next_comm > \"kw\"",
		"next_comm ~ \"kworker*\"", "next_comm ~ \"*/?:[0-9]\"", "next_comm ~ \"*[!a-z]\"",
		"next_comm =~ \"WORK\"", "next_comm !~ \"^work\"",
		"next_comm =~ \"^(kworker|ksoft)\"", "COMM == \"swapper\"", "comm == 'swapper'", "CPU == 2", "cpu==2",
		"common_cpu == 2",
		"address == \"do_work\"", "address ~ \"do_*\"", "next_pid == 1 && next_pid == 2 || CPU == 2",
		"CPU == 2 || CPU == 3 && CPU == 4",
		"bogus == 1 || CPU == 2", "!(bogus == 1)", "next_pid", "next_comm",
		"common_pid == next_pid || common_pid == 9", "next_pid * 2 == -6",
		"next_pid / -1 == 3", "1 / 0 == 0",
	};
	static const char *const no[] = {
		"next_pid == 3", "next_pid > 0", "flags & 8", "flags == -1", "next_comm == \"kworker\"",
		"next_comm ~ \"worker*\"", "next_comm ~ \"\"",
		"next_comm ~ \"kworker/1:0?\"", "next_comm ~ \"[a-j]*\"", "next_comm =~ \"^work\"",
		"next_comm !~ \"work\"", "COMM ~ 'kw*'",
		"bogus", "bogus == 1", "bogus != 1", "bogus + 1 == 1", "bogus ~ '*'", "next_comm == 5",
		"address == \"do_more\"", "0", "CPU == 3",
		"common_pid == next_pid",
	};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!holds(*state, yes[i]))
			fail_msg("does not hold: %s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (holds(*state, no[i]))
			fail_msg("holds: %s", no[i]);
}

static void test_events_are_named_by_expressions_for_whole_names(void **state)
{
	static const struct { const char *text; bool named; } rows[] = {
		{ "sched_switch", true }, { "sched", true }, { "SCHED_SWITCH", true }, { "sched/sched_switch", true },
		{ "sch.*/.*", true },
		{ " other , sched / sched_switch : CPU == 1", true }, { "sched_.*", true }, { "irq|sched", true },
		{ "switch", false }, { "sche", false },
		{ "irq/sched_switch", false }, { "sched/switch", false }, { "sched_switch/sched", false },
	};
	const struct set *s = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tracefmt_filter *f = NULL;

		assert_int_equal(tracefmt_filter_new(&f, rows[i].text, NULL), 0);
		if (tracefmt_filter_names(f, s->event) != rows[i].named)
			fail_msg("%s", rows[i].text);
		tracefmt_filter_free(f);
	}
}

static void test_what_is_no_filter_is_refused(void **state)
{
	static const char *const bad[] = {
		"", ":", "a,", ",a", "a/", "/a", "a(", "a:", "a: ", "a: b ==", "a: == b", "a: (b", "a: b)", "a: b c",
		"a: b == 'c", "a: b == \"c",
		"a: b ~ 5", "a: b =~ c", "a: b =~ \"(\"", "a: b &&", "a: b = 5", "a: 12x == 1",
		"a: 99999999999999999999 == 1", "a: b # 1", "a: b == 1 ? 2",
	};
	char deep[1024] = "a: ";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sonde_error err = { .file_offset = SONDE_NONE };
		struct tracefmt_filter *f = NULL;

		if (tracefmt_filter_new(&f, bad[i], &err) != -SONDE_USAGE || !*err.text)
			fail_msg("taken: %s", bad[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		struct tracefmt_filter *f = NULL;

		memset(deep + 3, "(!-~"[i], sizeof(deep) - 4);
		assert_int_equal(tracefmt_filter_new(&f, deep, NULL), -SONDE_USAGE);
	}
}

static void test_nothing_is_read_behind_the_end_of_a_record(void **state)
{
	const struct set *s = *state;
	struct tracefmt_filter *f = NULL;
	uint8_t short_record[10] = { 1 };

	assert_int_equal(tracefmt_filter_new(&f,
		"sched: next_pid == 0 || next_comm == '' || address == 'x' || flags ~ '*'", NULL), 0);
	for (size_t n = 0; n < sizeof(short_record); n++) {
		uint8_t *exact = malloc(n ? n : 1);

		memcpy(exact, short_record, n);
		assert_false(tracefmt_filter_match(f, &(struct tracefmt_candidate){ .event = s->event, .raw = { exact,
			n }, .comm = "x" }));
		free(exact);
	}
	tracefmt_filter_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions_hold_or_not),
		cmocka_unit_test(test_events_are_named_by_expressions_for_whole_names),
		cmocka_unit_test(test_what_is_no_filter_is_refused),
		cmocka_unit_test(test_nothing_is_read_behind_the_end_of_a_record),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
