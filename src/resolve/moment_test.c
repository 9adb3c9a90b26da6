/* SPDX-License-Identifier: MIT */
#include "resolve/moment.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "model/reader.h"

enum { TASKS = 100000 };

static struct sonde_comm comm;

static int give_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out)
{
	(void)r;
	(void)ev;
	if (body != BODY_COMM)
		return -SONDE_USAGE;
	*(struct sonde_comm *)out = comm;
	return 0;
}

static const struct reader_ops ops = { .body = give_body };

static void name(struct moment *m, int32_t tid, const char *text)
{
	static const struct meta meta;
	struct reader r = { .ops = &ops };
	const struct loaded_event ev = { .pub = { .type = PERF_RECORD_COMM, .kind = SONDE_KIND_SIDEBAND, .pid = tid,
						  .tid = tid },
					 .reader = &r };

	comm = (struct sonde_comm){ .pid = tid, .tid = tid, .comm = { text, strlen(text) } };
	assert_int_equal(moment_apply(m, &ev.pub, &meta), 0);
}

static void test_a_task_is_known_until_a_record_comes(void **state)
{
	struct moment_task *t;
	struct moment m;

	(void)state;
	assert_int_equal(moment_init(&m, NULL), 0);
	assert_null(moment_task(&m, 0, 5, 5)->comm);
	name(&m, 5, "first");
	t = moment_task(&m, 0, 5, 5);
	assert_string_equal(t->comm, "first");
	assert_int_equal(t->number, MOMENT_UNNUMBERED);
	t->number = 3;
	assert_ptr_equal(moment_task(&m, 0, 5, 5), t);
	assert_int_equal(t->number, 3);
	name(&m, 5, "second");
	t = moment_task(&m, 0, 5, 5);
	assert_string_equal(t->comm, "second");
	assert_int_equal(t->number, MOMENT_UNNUMBERED);
	moment_free(&m);
}

/* The place of a task in the memo is that of others, too. */
static void test_each_of_100000_tasks_has_its_own_name(void **state)
{
	char text[16];
	struct moment m;

	(void)state;
	assert_int_equal(moment_init(&m, NULL), 0);
	for (int32_t i = 1; i <= TASKS; i++) {
		snprintf(text, sizeof(text), "task-%d", i);
		name(&m, i, text);
	}
	for (int32_t i = 1; i <= TASKS; i++) {
		snprintf(text, sizeof(text), "task-%d", i);
		assert_string_equal(moment_task(&m, 0, i, i)->comm, text);
	}
	assert_null(moment_task(&m, 0, TASKS + 1, TASKS + 1)->comm);
	moment_free(&m);
}

static void test_tasks_of_recordings_and_machines_are_apart(void **state)
{
	struct moment m;

	(void)state;
	assert_int_equal(moment_init(&m, NULL), 0);
	name(&m, 5, "first");
	assert_string_equal(moment_task(&m, 0, 5, 5)->comm, "first");
	assert_int_equal(moment_turn_to(&m, 1), 0);
	assert_null(moment_task(&m, 0, 5, 5)->comm);
	name(&m, 5, "other");
	assert_string_equal(moment_task(&m, 0, 5, 5)->comm, "other");
	assert_int_equal(moment_turn_to(&m, 0), 0);
	assert_string_equal(moment_task(&m, 0, 5, 5)->comm, "first");
	assert_null(moment_task(&m, 99, 5, 5)->comm);
	moment_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_task_is_known_until_a_record_comes),
		cmocka_unit_test(test_each_of_100000_tasks_has_its_own_name),
		cmocka_unit_test(test_tasks_of_recordings_and_machines_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
