/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"

static void cleaned(const char *text, const char *expected)
{
	char copy[128];

	snprintf(copy, sizeof(copy), "%s", text);
	text_clean(copy, strlen(text));
	assert_string_equal(copy, expected);
}

static void plain_text_stays(void **state)
{
	(void)state;
	cleaned("", "");
	cleaned("a plain name of more than eight bytes", "a plain name of more than eight bytes");
	cleaned("stra\xc3\x9f"
		"e \xe2\x82\xac \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
		"stra\xc3\x9f"
		"e \xe2\x82\xac \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80");
}

static void controls_become_points(void **state)
{
	(void)state;
	cleaned("a\x1b[31mb\nc\x7f", "a.[31mb.c.");
	cleaned("\xc2\x9b" "31m", "..31m");                     /* C1 */
	cleaned("\xc2\xa0", "\xc2\xa0");                         /* the first after C1 */
	cleaned("a\xe2\x80\xae" "b\xe2\x81\xa6" "c", "a...b...c");  /* U+202E, U+2066 */
	cleaned("\xd8\x9c\xe2\x80\x8f", ".....");                 /* U+061C, U+200F */
	cleaned("\xe2\x80\x8d\xe2\x80\xaf", "\xe2\x80\x8d\xe2\x80\xaf");  /* their neighbours */
}

/* Eight bytes are looked at together: each byte that must go, in each place, beside its neighbours that may stay. */
static void controls_become_points_in_every_place(void **state)
{
	static const char bad[] = "\x01\x1f\x7f\x80\xff", good[] = " ~!}";
	char text[18] = "", want[18] = "";

	(void)state;
	for (size_t at = 0; at < sizeof(text) - 1; at++)
		for (size_t b = 0; b < sizeof(bad) - 1; b++)
			for (size_t g = 0; g < sizeof(good) - 1; g++) {
				memset(text, good[g], sizeof(text) - 1);
				memcpy(want, text, sizeof(text));
				text[at] = bad[b];
				want[at] = '.';
				cleaned(text, want);
			}
}

/* In whatever room is left: text that just fits, is too long by a byte, or comes to an empty buffer. */
static void printf_takes_the_room_it_needs(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	(void)state;
	for (int n = 0; n <= 26; n++)
		for (size_t before = 0; before <= 256; before += before == 0 ? 225 : 1) {
			struct buf b = BUF_MEMORY;

			buf_pad(&b, '-', before);
			buf_printf(&b, "%.*s", n, letters);
			assert_int_equal(b.n, before + (size_t)n);
			assert_memory_equal(b.p + before, letters, (size_t)n);
			buf_free(&b);
		}
}

static void bytes_that_are_no_text_become_points(void **state)
{
	(void)state;
	cleaned("latin \xe4 1", "latin . 1");
	cleaned("\x9b" "31m", ".31m");                           /* C1 in eight bits */
	cleaned("cut \xe2\x82", "cut ..");
	cleaned("\xc0\x9b\xed\xa0\x80\xf5\x80\x80\x80", ".........");  /* overlong, a surrogate, too large */
	cleaned("12345678\xff" "12345678", "12345678.12345678");
}

/* Line breaks of messages have been allowed before. */
static void ascii_can_be_left_alone(void **state)
{
	char text[] = "a\n\xc2\x9b\n\xc3\xa4";

	(void)state;
	text_clean_wide(text, sizeof(text) - 1);
	assert_string_equal(text, "a\n..\n\xc3\xa4");
}

static void json_spells_controls(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	buf_json(&b, "\x01\xc2\x9b\xe2\x80\xae\xff\xc3\xa4", 9);
	buf_char(&b, '\0');
	assert_string_equal(b.p, "\"\\u0001\\u009b\\u202e\xef\xbf\xbd\xc3\xa4\"");
	buf_free(&b);
}

static void identifiers(void **state)
{
	(void)state;
	assert_true(text_is_identifier("next_pid2"));
	assert_true(text_is_identifier("_Z"));
	assert_false(text_is_identifier(""));
	assert_false(text_is_identifier("a-b"));
	assert_false(text_is_identifier("a\"b"));
	assert_false(text_is_identifier("\xc3\xa4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(controls_become_points),
		cmocka_unit_test(controls_become_points_in_every_place),
		cmocka_unit_test(printf_takes_the_room_it_needs),
		cmocka_unit_test(bytes_that_are_no_text_become_points),
		cmocka_unit_test(ascii_can_be_left_alone),
		cmocka_unit_test(json_spells_controls),
		cmocka_unit_test(identifiers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
