/* SPDX-License-Identifier: MIT */
#include "base/safe_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BAD "\xef\xbf\xbd"

typedef void put_text(struct buf *b, const char *s, size_t len);

static void check(put_text *put, const char *text, size_t len, const char *want)
{
	struct buf out = BUF_MEMORY;
	char *exact = malloc(len ? len : 1);  /* a byte beyond the end is seen */

	memcpy(exact, text, len);
	put(&out, exact, len);
	buf_char(&out, '\0');
	assert_string_equal(out.p, want);
	free(exact);
	buf_free(&out);
}

static void test_bytes_that_are_no_utf8_are_replaced(void **state)
{
	(void)state;
	check(buf_utf8, "", 0, "");
	check(buf_utf8, "plain \xc3\xa9", 8, "plain \xc3\xa9");
	check(buf_utf8, "\xff" "a\xc3", 3, BAD "a" BAD);
	check(buf_utf8, "\xed\xa0\x80", 3, BAD BAD BAD);  /* a surrogate */
	check(buf_utf8, "\1\n", 2, "\1\n");
}

static void test_xml_has_no_markup_and_no_control_characters(void **state)
{
	(void)state;
	check(buf_xml, "</title><script>&\"", 18, "&lt;/title&gt;&lt;script&gt;&amp;&quot;");
	check(buf_xml, "a\1\x7f\tb\n", 6, "a" BAD "\x7f&#9;b&#10;");
	check(buf_xml, "\xef\xbf\xbe\xef\xbf\xbf\xff", 7, BAD BAD BAD);
	check(buf_xml, "\xc3\xa9'", 3, "\xc3\xa9'");
}

static void test_a_name_stays_on_its_line(void **state)
{
	(void)state;
	check(buf_line, "a\nb\r\1\x7f\xc3\xa9", 8, "a?b???\xc3\xa9");
}

static void test_a_value_of_a_table_stays_between_its_quotes(void **state)
{
	(void)state;
	check(buf_csv, "a\"b,\tc\r\n", 8, "a\"\"b,\tc\r\n");
	check(buf_csv, "\0\1\x7f\xff\xc3\xa9", 6, BAD BAD BAD BAD "\xc3\xa9");
	/* C1 and bidirectional controls: U+009B, U+202E, U+2066 */
	check(buf_csv, "a\xc2\x9b" "b\xe2\x80\xae" "c\xe2\x81\xa6", 11, "a" BAD "b" BAD "c" BAD);
	for (const char *c = "=+-@\t\r\n'"; *c; c++)
		assert_true(csv_needs_apostrophe(*c));
	for (const char *c = "a0_.[\" <"; *c; c++)
		assert_false(csv_needs_apostrophe(*c));
	assert_false(csv_needs_apostrophe('\0'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_that_are_no_utf8_are_replaced),
		cmocka_unit_test(test_xml_has_no_markup_and_no_control_characters),
		cmocka_unit_test(test_a_name_stays_on_its_line),
		cmocka_unit_test(test_a_value_of_a_table_stays_between_its_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
