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
	const struct html_node nodes[] = { { HTML_NO_PARENT, 0 }, { 0, 0 } };
	const struct html_cell cell = { 0, 1, 700, 2 };
	const struct html_sample samples[] = { { 1000, 300, 0, UINT32_MAX, 1 }, { 1009, 400, 0, 3, 1 } };
	const struct html_task task = { 5, -1, "x", 3 };
	const struct html_lost lost = { 1001, 1004, 2, "lost" };
	const char *const note = "a note";
	const struct html_event event = { .name = "cycles", .unit = "", .notes = &note, .nr_notes = 1, .nodes = nodes,
					  .nr_nodes = 2, .cells = &cell, .nr_cells = 1, .samples = samples,
					  .nr_samples = 2 };
	const struct html_profile profile = {
		.title = title, .wall_ns = 5, .frames = &frame, .nr_frames = 1, .events = &event, .nr_events = 1,
		.tasks = &task, .nr_tasks = 1, .lost = &lost, .nr_lost = 1, .first_ns = 1000, .last_ns = 1009,
	};

	char *data, *columns;

	*b = BUF_MEMORY;
	assert_int_equal(html_write(b, &profile), 0);
	assert_int_equal(memcmp(b->p, html_page[0].p, html_page[0].len), 0);
	assert_int_equal(memcmp(b->p + b->n - html_page[4].len, html_page[4].p, html_page[4].len), 0);
	b->p[b->n - html_page[4].len - html_page[3].len] = '\0';
	data = b->p + html_page[0].len + html_page_policy[0].len + html_page[1].len;
	columns = strstr(data, html_page[2].p);
	assert_non_null(columns);
	*columns = '\0';
	return data;
}

static void test_layout_of_the_data(void **state)
{
	struct buf b;

	(void)state;
	assert_string_equal(data_of(&b, "main", "./a.out"),
			    "{\"title\":\"./a.out\",\n\"wall_ns\":5,\n\"info\":[],\n\"losses\":[],\n"
			    "\"columns\":[[\"pid\",1,0,5],[\"tid\",1,0,4294967295],[\"comm\",1,0,1],"
			    "[\"machine\",1,0,3]],\n"
			    "\"frames\":{\"symbol\":[2],\n\"dso\":[3],\n\"kind\":[1],\n\"inlined\":[]},\n"
			    "\"strings\":[\"\",\"x\",\"main\",\"/bin/x\"],\n"
			    "\"time\":{\"start_ns\":1000,\"step_ns\":1,\"end\":9},\n"
			    "\"lost\":[[1,4,2,\"lost\"]],\n"
			    "\"events\":[{\"name\":\"cycles\",\"unit\":\"\",\"notes\":[\"a note\"],"
			    "\"merged_ns\":0,\n"
			    "\"columns\":[[\"up\",2,1,0],[\"frame\",2,0,0],[\"task\",1,0,0],[\"node\",1,0,1],"
			    "[\"weight\",1,0,700],[\"samples\",1,0,2],[\"time\",2,1,0],[\"cpu\",2,1,0],"
			    "[\"cell\",2,0,0],[\"period\",2,1,300],[\"count\",2,0,1]]}]}");
	buf_free(&b);
}

static void test_a_baseline_has_strings_of_its_own(void **state)
{
	const struct html_frame frame = { "new", "/bin/x", HTML_USER, "ab12" };
	const struct html_frame old = { "old", "/bin/x", HTML_USER, "" };
	const struct html_profile baseline = { .title = "before", .frames = &old, .nr_frames = 1 };
	const struct html_profile profile = { .title = "now", .frames = &frame, .nr_frames = 1, .baseline = &baseline };
	struct buf b = BUF_MEMORY;
	const char *at;

	(void)state;
	assert_int_equal(html_write(&b, &profile), 0);
	buf_char(&b, '\0');
	at = strstr(b.p, "\"kind\":[1],\n\"inlined\":[],\n\"build_id\":[3]},\n"
			 "\"strings\":[\"\",\"new\",\"/bin/x\",\"ab12\"]");
	assert_non_null(at);
	at = strstr(at, "\"baseline\":{\"title\":\"before\"");
	assert_non_null(at);
	assert_non_null(strstr(at, "\"build_id\":[0]},\n\"strings\":[\"\",\"old\",\"/bin/x\"]"));
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
	assert_non_null(strstr(html_page[0].p, "default-src 'none'; script-src "));
	assert_memory_equal(html_page_policy[0].p, "'sha256-", strlen("'sha256-"));
	assert_null(strstr(html_page_policy[0].p, "connect-src"));
	assert_null(strstr(html_page[1].p, "unsafe-inline"));
	for (size_t i = 3; i < 5; i++) {
		assert_null(strstr(html_page[i].p, "fetch("));
		assert_null(strstr(html_page[i].p, "innerHTML"));
	}
	assert_non_null(strstr(html_page_policy[1].p, "'; connect-src 'self'"));
	assert_non_null(strstr(html_page_served[0].p, "fetch("));
	assert_null(strstr(html_page_served[0].p, "innerHTML"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_of_the_data),
		cmocka_unit_test(test_a_baseline_has_strings_of_its_own),
		cmocka_unit_test(test_names_cannot_leave_their_element),
		cmocka_unit_test(test_text_is_json_whatever_its_bytes),
		cmocka_unit_test(test_the_page_lets_nothing_else_run_and_loads_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
