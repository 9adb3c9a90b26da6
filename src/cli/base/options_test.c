/* SPDX-License-Identifier: MIT */
#include "cli/base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/base/message.h"

static bool all_cpus, call_graph, inline_frames, buildid;
static const char *output, *graph;
static struct strings events;
static uint64_t freq;
static int called;

static int call(const char *arg)
{
	called += arg ? (int)strtol(arg, NULL, 10) : 100;
	return arg && !strcmp(arg, "bad") ? -SONDE_USAGE : 0;
}

static bool is_caller(const char *word)
{
	return !strcmp(word, "caller");
}

static bool is_digit(const char *next)
{
	return next && *next >= '0' && *next <= '9';
}

static const struct option_row rows[] = {
	{ .kind = OPTION_HEADING, .help = "What to record" },
	{ .name = "all-cpus", .letter = 'a', .kind = OPTION_FLAG, .value = &all_cpus },
	{ .letter = 'g', .kind = OPTION_FLAG, .value = &call_graph },
	{ .letter = 'g', .kind = OPTION_STRING, .value = &graph, .arg = "SIZE", .applies = is_digit },
	{ .name = "inline", .kind = OPTION_FLAG, .value = &inline_frames },
	{ .name = "no-buildid", .letter = 'B', .kind = OPTION_FLAG, .value = &buildid },
	{ .name = "output", .letter = 'o', .kind = OPTION_STRING, .value = &output, .arg = "FILE" },
	{ .name = "graph", .letter = 'G', .kind = OPTION_STRING, .value = &graph, .arg = "MODE", .optional = true,
	  .takes = is_caller },
	{ .name = "event", .letter = 'e', .kind = OPTION_STRINGS, .value = &events, .arg = "EVENT" },
	{ .name = "freq", .letter = 'F', .kind = OPTION_U64, .value = &freq, .arg = "HZ" },
	{ .name = "call", .kind = OPTION_CALL, .call = call, .arg = "N", .optional = true },
	{ 0 },
};
static const struct command options_anywhere = { .name = "test", .options = rows };
static const struct command options_come_first = { .name = "test", .options = rows, .options_first = true };

static char *words[16];
static int left;

static int reset(void **state)
{
	(void)state;
	all_cpus = call_graph = inline_frames = buildid = false;
	output = graph = NULL;
	free(events.at);
	events = (struct strings){ 0 };
	freq = 0;
	called = 0;
	return 0;
}

/* Splits a command line at blanks. */
static enum options_result parse_as(const struct command *cmd, const char *line)
{
	static char text[256];

	snprintf(text, sizeof(text), "test %s", line);
	left = 0;
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		words[left++] = word;
	words[left] = NULL;
	return options_parse(cmd, &left, words);
}

static enum options_result parse(const char *line)
{
	return parse_as(&options_anywhere, line);
}

static void test_letters_stand_alone_in_bundles_and_before_their_argument(void **state)
{
	(void)state;
	assert_int_equal(parse("-agF99 -o out -einstructions -e cycles"), OPTIONS_DONE);
	assert_true(all_cpus);
	assert_true(call_graph);
	assert_int_equal(freq, 99);
	assert_string_equal(output, "out");
	assert_int_equal(events.n, 2);
	assert_string_equal(events.at[0], "instructions");
	assert_string_equal(events.at[1], "cycles");
	assert_int_equal(left, 0);
}

static void test_a_letter_means_what_applies_before_what_follows(void **state)
{
	(void)state;
	assert_int_equal(parse("-g 12 -ga file"), OPTIONS_DONE);
	assert_string_equal(graph, "12");
	assert_true(call_graph);
	assert_true(all_cpus);
	assert_int_equal(left, 1);
	call_graph = false;
	assert_int_equal(parse("-ag7"), OPTIONS_DONE);
	assert_string_equal(graph, "7");
	assert_false(call_graph);
	assert_int_equal(parse("-g"), OPTIONS_DONE);
	assert_true(call_graph);
}

static void test_long_names(void **state)
{
	(void)state;
	assert_int_equal(parse("--all-cpus --freq=0x10 --output out"), OPTIONS_DONE);
	assert_true(all_cpus);
	assert_int_equal(freq, 16);
	assert_string_equal(output, "out");
}

static void test_a_prefix_of_one_name_will_do(void **state)
{
	(void)state;
	assert_int_equal(parse("--all --fre 7 --out=x"), OPTIONS_DONE);
	assert_true(all_cpus);
	assert_int_equal(freq, 7);
	assert_string_equal(output, "x");
	assert_int_equal(parse("--no"), OPTIONS_USAGE);  /* --no-buildid, --no-inline, --no-all-cpus */
}

static void test_flags_have_an_opposite(void **state)
{
	(void)state;
	inline_frames = true;
	assert_int_equal(parse("--no-inline --no-buildid"), OPTIONS_DONE);
	assert_false(inline_frames);
	assert_true(buildid);
	assert_int_equal(parse("--buildid --inline"), OPTIONS_DONE);
	assert_true(inline_frames);
	assert_false(buildid);
}

static void test_optional_arguments(void **state)
{
	(void)state;
	assert_int_equal(parse("-G file"), OPTIONS_DONE);
	assert_string_equal(graph, "");
	assert_int_equal(left, 1);
	assert_int_equal(parse("-G caller file"), OPTIONS_DONE);
	assert_string_equal(graph, "caller");
	assert_int_equal(left, 1);
	assert_int_equal(parse("--graph=fp -Gx"), OPTIONS_DONE);
	assert_string_equal(graph, "x");
	assert_int_equal(parse("--call --call=3"), OPTIONS_DONE);
	assert_int_equal(called, 103);
}

static void test_words_between_options_are_kept_in_order(void **state)
{
	(void)state;
	assert_int_equal(parse("one -a - -F 1 two -- -g three"), OPTIONS_DONE);
	assert_int_equal(left, 5);
	assert_string_equal(words[0], "one");
	assert_string_equal(words[1], "-");
	assert_string_equal(words[2], "two");
	assert_string_equal(words[3], "-g");
	assert_string_equal(words[4], "three");
	assert_null(words[5]);
	assert_false(call_graph);
}

static void test_a_command_line_of_the_users_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(parse_as(&options_come_first, "-a ls -g -- x"), OPTIONS_DONE);
	assert_int_equal(left, 4);
	assert_string_equal(words[0], "ls");
	assert_string_equal(words[1], "-g");
	assert_string_equal(words[2], "--");
	assert_false(call_graph);
	assert_int_equal(parse_as(&options_come_first, "-a -- -x"), OPTIONS_DONE);
	assert_int_equal(left, 1);
	assert_string_equal(words[0], "-x");
}

static void test_mistakes(void **state)
{
	static const char *const lines[] = {
		"-x",     "-ax",     "--frequency 1",           "--freq",       "-F",         "-Fmany",      "-F -1",
		"-F 12x", "--freq=", "-F 99999999999999999999", "--all-cpus=1", "--call=bad", "--no-freq 1", "--=x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (parse(lines[i]) != OPTIONS_USAGE)
			fail_msg("'%s'", lines[i]);
}

static void test_help_wins_unless_it_is_behind_the_options(void **state)
{
	(void)state;
	assert_int_equal(parse("-a -h"), OPTIONS_HELP);
	assert_int_equal(parse("x --help"), OPTIONS_HELP);
	assert_int_equal(parse("-- -h"), OPTIONS_DONE);
	assert_int_equal(parse_as(&options_come_first, "ls -h"), OPTIONS_DONE);
}

static void test_suggestions(void **state)
{
	struct suggestion near = { .word = "reprot" }, far = { .word = "xyzzy" };

	(void)state;
	suggestion_add(&near, "record");
	suggestion_add(&near, "report");
	suggestion_add(&near, "info");
	assert_string_equal(near.best, "report");
	suggestion_add(&far, "report");
	suggestion_add(&far, "info");
	assert_null(far.best);
}

static void test_suggestions_know_the_part_behind_a_colon(void **state)
{
	struct suggestion tail = { .word = "sched_swich" }, whole = { .word = "sched:switch" },
			  letter = { .word = "-x" };

	(void)state;
	suggestion_add(&tail, "sched:sched_waking");
	suggestion_add(&tail, "sched:sched_switch");
	assert_string_equal(tail.best, "sched:sched_switch");
	suggestion_add(&whole, "other:sched:switch");
	assert_null(whole.best);
	suggestion_add(&letter, "-g");
	assert_null(letter.best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_letters_stand_alone_in_bundles_and_before_their_argument, reset),
		cmocka_unit_test_setup(test_a_letter_means_what_applies_before_what_follows, reset),
		cmocka_unit_test_setup(test_long_names, reset),
		cmocka_unit_test_setup(test_a_prefix_of_one_name_will_do, reset),
		cmocka_unit_test_setup(test_flags_have_an_opposite, reset),
		cmocka_unit_test_setup(test_optional_arguments, reset),
		cmocka_unit_test_setup(test_words_between_options_are_kept_in_order, reset),
		cmocka_unit_test_setup(test_a_command_line_of_the_users_is_left_alone, reset),
		cmocka_unit_test_setup(test_mistakes, reset),
		cmocka_unit_test_setup(test_help_wins_unless_it_is_behind_the_options, reset),
		cmocka_unit_test(test_suggestions),
		cmocka_unit_test(test_suggestions_know_the_part_behind_a_colon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
