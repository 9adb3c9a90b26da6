/* SPDX-License-Identifier: MIT */
#include "tracefmt/format_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/put.h"

static const struct { const char *system, *text; } formats[] = {
	{ "sched", "switch" }, { "ftrace", "function" }, { "irq", "entry" }, { "sched", "wakeup" }, { "ftrace", "" },
};

static void set_up(struct format_lists *l)
{
	*l = (struct format_lists){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		assert_int_equal(format_lists_add(l, formats[i].system,
						  (struct sonde_str){ formats[i].text, strlen(formats[i].text) }),
				 0);
}

static int describe(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct buf *out = ctx;

	(void)at;
	buf_str(out, system);
	buf_char(out, ':');
	buf_put(out, text.p, text.len);
	buf_char(out, ' ');
	return 0;
}

/* The text that a reader finds in bytes that were written; they are all of the bytes. */
static void expect(const struct buf *bytes, bool one, bool swap, const char *want)
{
	struct cursor c = cur_new((const uint8_t *)bytes->p, bytes->n, 0, swap, NULL);
	struct buf got = BUF_MEMORY;

	assert_int_equal(one ? format_list_read(&c, FTRACE_SYSTEM, describe, &got) :
			       format_list_read_systems(&c, describe, &got), 0);
	assert_true(cur_ok(&c));
	assert_int_equal(cur_left(&c), 0);
	buf_char(&got, '\0');
	assert_string_equal(got.p, want);
	buf_free(&got);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct buf one = BUF_MEMORY, others = BUF_MEMORY, all = BUF_MEMORY;
		struct format_lists l;

		set_up(&l);
		format_lists_put(&l, FTRACE_SYSTEM, swap, &one);
		format_lists_put_systems(&l, FTRACE_SYSTEM, swap, &others);
		format_lists_put_systems(&l, NULL, swap, &all);
		format_lists_free(&l);
		expect(&one, true, swap, "ftrace:function ftrace: ");
		expect(&others, false, swap, "sched:switch sched:wakeup irq:entry ");
		expect(&all, false, swap, "sched:switch sched:wakeup ftrace:function ftrace: irq:entry ");
		buf_free(&one);
		buf_free(&others);
		buf_free(&all);
	}
}

static void lists_without_formats_are_empty(void **state)
{
	struct format_lists l = { 0 };
	struct buf b = BUF_MEMORY;

	(void)state;
	format_lists_put(&l, FTRACE_SYSTEM, false, &b);
	expect(&b, true, false, "");
	b.n = 0;
	format_lists_put_systems(&l, FTRACE_SYSTEM, false, &b);
	expect(&b, false, false, "");
	buf_free(&b);
	format_lists_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(lists_without_formats_are_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
