/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "sched/prev_state.h"

static struct prev_state_letters letters_of(const char *fmt)
{
	const struct tracefmt_event event = { .print_fmt = { fmt, strlen(fmt) } };
	struct prev_state_letters l;

	prev_state_letters(&event, &l);
	return l;
}

static void test_letters_are_those_of_the_format(void **state)
{
	const struct prev_state_letters old = letters_of(
		"\"%s\", REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), \"|\", "
		"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, "
		"{ 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\", "
		"REC->prev_state & 1024 ? \"+\" : \"\"");
	const struct prev_state_letters now = letters_of(
		"\"%s\", (REC->prev_state & ((((0x00000000 | 0x00000001) + 1) << 1) - 1)) ? "
		"__print_flags(REC->prev_state & ((((0x00000000) + 1) << 1) - 1), \"|\", "
		"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
		"{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : "
		"\"R\"");

	(void)state;
	assert_int_equal(old.nr, 10);
	assert_string_equal(prev_state_text(&old, 16), "Z");
	assert_string_equal(prev_state_text(&old, 0x82), "D");
	assert_string_equal(prev_state_text(&old, 512), "P");
	assert_string_equal(prev_state_text(&old, 1024), "R+");
	assert_string_equal(prev_state_text(&old, 1025), "R+");
	assert_int_equal(now.nr, 8);
	assert_string_equal(prev_state_text(&now, 0), "R");
	assert_string_equal(prev_state_text(&now, 0x10), "X");
	assert_string_equal(prev_state_text(&now, 0x20), "Z");
	assert_string_equal(prev_state_text(&now, 0x80), "I");
	assert_string_equal(prev_state_text(&now, 0x100), "R+");
}

static void test_a_format_that_tells_none_is_taken_for_a_newer_one(void **state)
{
	static const char *const formats[] = {
		"", "\"%s\"", "__print_flags(x, \"|\", ", "__print_flags(x, \"|\", { 1, \"S",
		"__print_flags(x, \"|\", { 3, \"S\" })",
		"__print_flags(x, \"|\", {0x, \"S\"})",
		"__print_flags(x, \"|\", { 99999999999999999999, \"S\" })",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		const struct prev_state_letters l = letters_of(formats[i]);

		assert_string_equal(prev_state_text(&l, 1), "S");
		assert_string_equal(prev_state_text(&l, 0x100), "R+");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_letters_are_those_of_the_format),
		cmocka_unit_test(test_a_format_that_tells_none_is_taken_for_a_newer_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
