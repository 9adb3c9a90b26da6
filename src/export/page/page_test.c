/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "export/page/page.h"

/* The page of a profile with one stack of one function, from the first byte of the data to the end; NUL-terminated. */
static char *data_of(struct buf *b, const char *symbol, const char *title)
{
	const struct html_frame frame = { symbol, "/bin/x", HTML_USER };
	const struct html_node nodes[] = { { HTML_NO_PARENT, 0, 0, 0 }, { 0, 0, 7, 2 } };
	const char *const note = "a note";
	const struct html_event event = { "cycles", "", &note, 1, nodes, 2 };
	const struct html_profile profile = {
		.title = title, .wall_ns = 5, .frames = &frame, .nr_frames = 1, .events = &event, .nr_events = 1
	};

	*b = BUF_MEMORY;
	assert_int_equal(html_write(b, &profile), 0);
	assert_int_equal(memcmp(b->p, html_page[0].p, html_page[0].len), 0);
	assert_int_equal(memcmp(b->p + b->n - html_page[1].len, html_page[1].p, html_page[1].len), 0);
	b->p[b->n - html_page[1].len] = '\0';
	return b->p + html_page[0].len;
}

static void test_layout_of_the_data(void **state)
{
	struct buf b;

	(void)state;
	assert_string_equal(data_of(&b, "main", "./a.out"),
			    "{\"title\":\"./a.out\",\n\"wall_ns\":5,\n\"info\":[],\n\"losses\":[],\n"
			    "\"frames\":{\"symbol\":[1],\n\"dso\":[2],\n\"kind\":[1]},\n"
			    "\"strings\":[\"\",\"main\",\"/bin/x\"],\n"
			    "\"events\":[{\"name\":\"cycles\",\"unit\":\"\",\"notes\":[\"a "
			    "note\"],\n\"nodes\":{\"up\":[0,1],\n\"frame\":[0,0],\n"
			    "\"weight\":[0,7],\n\"samples\":[0,2]}}]}");
	buf_free(&b);
}

static void test_names_cannot_leave_their_element(void **state)
{
	static const char *const names[] = {
		"</script><img src=x onerror=alert(1)>",
		"</SCRIPT >",
		"<!--<script>",
		"-->",
		"]]>",
		"<",
		"a<b<c>>::f()",
	};
	struct buf b;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_null(strchr(data_of(&b, names[i], names[i]), '<'));
		buf_free(&b);
	}
}

static void test_text_is_json_whatever_its_bytes(void **state)
{
	struct buf b;

	(void)state;
	assert_non_null(
		strstr(data_of(&b, "\xe2\x80\xa8|\xe2\x80\xa9|\xe2\x80\xb0", ""), "\"\\u2028|\\u2029|\xe2\x80\xb0\""));
	buf_free(&b);
	assert_non_null(strstr(data_of(&b, "a\"b\\c\nd\x01", ""), "\"a\\\"b\\\\c\\u000ad\\u0001\""));
	buf_free(&b);
	assert_non_null(strstr(data_of(&b, "\xff\xc0\xaf \xe2\x80", ""),
			       "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd"));
	buf_free(&b);
}

static void test_the_page_lets_nothing_else_run_and_loads_nothing(void **state)
{
	(void)state;
	assert_non_null(strstr(html_page[0].p, "default-src 'none'; script-src 'sha256-"));
	assert_null(strstr(html_page[0].p, "unsafe-inline"));
	assert_null(strstr(html_page[1].p, "fetch("));
	assert_null(strstr(html_page[1].p, "innerHTML"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_of_the_data),
		cmocka_unit_test(test_names_cannot_leave_their_element),
		cmocka_unit_test(test_text_is_json_whatever_its_bytes),
		cmocka_unit_test(test_the_page_lets_nothing_else_run_and_loads_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
