/* SPDX-License-Identifier: MIT */
#include "export/page/question.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_parts_of_a_question(void **state)
{
	struct question q;

	(void)state;
	assert_int_equal(question_parse(&q, "profile"), 0);
	assert_int_equal(q.kind, QUESTION_PROFILE);
	assert_int_equal(question_parse(&q, "sums?event=7&from=17&to=4711&cpu=3"), 0);
	assert_int_equal(q.kind, QUESTION_SUMS);
	assert_int_equal(q.event, 7);
	assert_true(q.has_range && q.from == 17 && q.to == 4711);
	assert_int_equal(q.cpu, 3);
	assert_false(q.task.has_pid || q.hides_idle || q.counts_samples);
	assert_int_equal(question_parse(&q, "tracks?from=0.5&to=2.125&columns=1280&rows=threads:12/13,-1/-1,&task=12"
					    "&idle=hide&count=samples"), 0);
	assert_true(q.from == 0.5 && q.to == 2.125 && q.hides_idle && q.counts_samples);
	assert_int_equal(q.columns, 1280);
	assert_int_equal(q.cpu, -1);
	assert_int_equal(q.nr_rows, 3);
	assert_true(q.threads[0].pid == 12 && q.threads[0].tid == 13 && q.threads[1].tid == -1);
	assert_false(q.threads[2].has_pid);
	assert_true(q.task.pid == 12 && q.task.has_pid && !q.task.has_tid);
	assert_true(q.threads[0].machine == 0 && q.threads[1].machine == 0 && q.task.machine == 0);
	assert_int_equal(question_parse(&q, "tracks?from=0&to=1&columns=1&rows=threads:12/13@2,4@3,&task=12@1"), 0);
	assert_true(q.threads[0].pid == 12 && q.threads[0].tid == 13 && q.threads[0].machine == 2);
	assert_true(q.threads[1].pid == 4 && !q.threads[1].has_tid && q.threads[1].machine == 3);
	assert_true(q.task.pid == 12 && !q.task.has_tid && q.task.machine == 1);
	assert_int_equal(question_parse(&q, "tracks?from=0&to=1&columns=1&rows=cpus:4,-1"), 0);
	assert_true(q.rows_of == QUESTION_CPUS && q.nr_rows == 2 && q.cpus[0] == 4 && q.cpus[1] == -1);
}

static void test_other_texts_are_refused(void **state)
{
	static const char *const wrong[] = {
		"", "?", "sum", "sums ", "sums?", "sums?x=1", "sums?event=", "sums?event=-1", "sums?event=4294967296",
		"sums?event=1&", "sums?event=1&&from=1&to=2", "sums?from=2&to=2", "sums?from=1.&to=2",
		"sums?from=1.2345&to=3", "sums?cpu=2147483648", "sums?task=", "sums?task=1/", "sums?task=1/2/3",
		"sums?task=1@", "sums?task=1@-1", "sums?task=1@1/2",
		"sums?idle=show", "tracks", "tracks?from=0&to=1", "tracks?from=0&to=1&columns=0",
		"tracks?from=0&to=1&columns=131073", "tracks?columns=1",
		"tracks?from=0&to=1&columns=131072&rows=cpus:1,2,3,4,5,6,7,8",
		"tracks?from=0&to=1&columns=1&rows=", "tracks?from=0&to=1&columns=1&rows=cpus:1/2",
		("tracks?from=0&to=1&columns=1&rows=cpus:,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
		 ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"),
	};
	struct question q;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (question_parse(&q, wrong[i]) != -SONDE_USAGE)
			fail_msg("'%s' is taken", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_of_a_question),
		cmocka_unit_test(test_other_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
