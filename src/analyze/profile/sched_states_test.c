/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/profile/sched_states.h"
#include "base/str.h"

enum { A = 100, B = 200 };

static uint32_t thread(struct sched_states *s, int32_t tid, const char *comm)
{
	uint32_t number = sched_states_thread(s, -1, tid, (struct sonde_str){ comm, strlen(comm) });

	assert_int_not_equal(number, UINT32_MAX);
	return number;
}

static void check(const struct sched_states *s, const struct sched_change *want, size_t n)
{
	assert_int_equal(s->changes.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(s->changes.at[i].time, want[i].time);
		assert_int_equal(s->changes.at[i].thread, want[i].thread);
		assert_int_equal(s->changes.at[i].cpu, want[i].cpu);
		assert_int_equal(s->changes.at[i].state, want[i].state);
	}
}

static void test_a_switch_and_a_wakeup(void **state)
{
	struct sched_states s = { 0 };
	const uint32_t a = thread(&s, A, "a"), b = thread(&s, B, "b");
	const struct sched_change want[] = {
		{ 10, a, 0, 0, SCHED_SLEEPING | SCHED_HAD_RUN }, { 10, b, 0, 0, SCHED_RUNNING },
		{ 20, a, -1, 0, SCHED_RUNNABLE }, { 30, b, 0, 0, SCHED_RUNNABLE }, { 30, a, 0, 0, SCHED_RUNNING },
	};

	(void)state;
	sched_states_leave(&s, 10, 0, a, SCHED_SLEEPING);
	sched_states_run(&s, 10, 0, b);
	sched_states_wake(&s, 20, b, a);
	sched_states_wake(&s, 25, b, a);     /* sched_wakeup after sched_waking */
	sched_states_leave(&s, 30, 0, b, SCHED_RUNNABLE);
	sched_states_run(&s, 30, 0, a);
	check(&s, want, 5);
	assert_int_equal(s.wakeups.n, 1);
	assert_int_equal(s.wakeups.at[0].waker, b);
	assert_int_equal(s.wakeups.at[0].wakee, a);
	sched_states_free(&s);
}

static void test_a_lost_switch_leaves_no_two_threads_on_a_cpu(void **state)
{
	struct sched_states s = { 0 };
	const uint32_t a = thread(&s, A, "a"), b = thread(&s, B, "b");
	const struct sched_change want[] = {
		{ 1, a, 3, 0, SCHED_RUNNING }, { 5, a, 3, 0, SCHED_UNKNOWN }, { 5, b, 3, 0, SCHED_RUNNING },
		{ 7, a, 2, 0, SCHED_RUNNING }, { 9, a, 1, 0, SCHED_RUNNING },
	};

	(void)state;
	sched_states_run(&s, 1, 3, a);
	sched_states_run(&s, 5, 3, b);
	sched_states_run(&s, 7, 2, a);
	sched_states_run(&s, 8, -1, b);      /* without a CPU there is nothing to tell */
	sched_states_run(&s, 9, 1, a);       /* it left CPU 2 after the recording of that had ended */
	check(&s, want, 5);
	sched_states_free(&s);
}

static void test_the_cpu_is_told_when_it_is_left(void **state)
{
	struct sched_states s = { 0 };
	const uint32_t a = thread(&s, A, "a"), b = thread(&s, B, "b");
	const struct sched_change want[] = {
		{ 1, a, 2, 0, SCHED_RUNNING }, { 2, b, -1, 0, SCHED_RUNNING }, { 3, a, 2, 0, SCHED_BLOCKED },
		{ 4, b, -1, 0, SCHED_SLEEPING }, { 5, a, -1, 0, SCHED_RUNNING },
	};

	(void)state;
	sched_states_run(&s, 1, -1, a);
	sched_states_run(&s, 2, -1, b);
	sched_states_leave(&s, 3, 2, a, SCHED_BLOCKED);
	sched_states_leave(&s, 4, -1, b, SCHED_SLEEPING);
	sched_states_run(&s, 5, -1, a);
	check(&s, want, 5);
	sched_states_free(&s);
}

/* Of B it is only told that it comes to the CPU that A leaves; A comes back unseen, and then has a sample. */
static void test_threads_that_are_not_recorded_have_no_states(void **state)
{
	struct sched_states s = { .some = true };
	const uint32_t a = thread(&s, A, "a"), b = thread(&s, B, "b");
	const struct sched_change want[] = {
		{ 10, a, 0, 0, SCHED_SLEEPING | SCHED_HAD_RUN }, { 50000, a, 0, 0, SCHED_RUNNING },
		{ 60000, a, 0, 0, SCHED_BLOCKED },
	};

	(void)state;
	sched_states_leave(&s, 10, 0, a, SCHED_SLEEPING);
	sched_states_run(&s, 10, 0, b);
	sched_states_seen(&s, 300, 0, A);    /* by an interrupt, while it leaves */
	sched_states_seen(&s, 50000, -1, A);
	sched_states_seen(&s, 55000, -1, A);
	sched_states_seen(&s, 55000, -1, 7);
	sched_states_leave(&s, 60000, 0, a, SCHED_BLOCKED);
	sched_states_run(&s, 60000, 0, b);
	sched_states_end_trace(&s);
	check(&s, want, 3);
	sched_states_free(&s);
}

static void test_traces_one_after_the_other_are_one_row(void **state)
{
	struct sched_states s = { 0 };
	const uint32_t a = thread(&s, A, "a"), b = thread(&s, B, "b");
	const struct sched_change want[] = {
		{ 1, b, 1, 0, SCHED_RUNNING }, { 2, a, 0, 0, SCHED_RUNNING }, { 3, b, 1, 0, SCHED_SLEEPING },
		{ 3, a, 1, 0, SCHED_RUNNING },
	};

	(void)state;
	sched_states_run(&s, 2, 0, a);
	sched_states_end_trace(&s);
	sched_states_run(&s, 1, 1, b);
	sched_states_leave(&s, 3, 1, b, SCHED_SLEEPING);
	sched_states_run(&s, 3, 1, a);
	sched_states_end_trace(&s);
	check(&s, want, 4);
	sched_states_free(&s);
}

static void test_a_thread_has_its_last_name(void **state)
{
	struct sched_states s = { 0 };

	(void)state;
	assert_int_equal(thread(&s, A, "before"), 0);
	assert_int_equal(thread(&s, A, "after"), 0);
	assert_int_equal(thread(&s, A, ""), 0);
	assert_string_equal(strpool_get(&s.comms, s.threads.at[0].comm), "after");
	sched_states_free(&s);
}

static void test_too_many_changes_leave_none(void **state)
{
	struct sched_states s = { .most = 3 };
	const uint32_t a = thread(&s, A, "a");

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		sched_states_run(&s, 2 * i, 0, a);
		sched_states_leave(&s, 2 * i + 1, 0, a, SCHED_SLEEPING);
		sched_states_wake(&s, 2 * i + 1, UINT32_MAX, a);
	}
	assert_true(s.given_up);
	assert_int_equal(s.changes.n + s.wakeups.n, 0);
	sched_states_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_switch_and_a_wakeup),
		cmocka_unit_test(test_a_lost_switch_leaves_no_two_threads_on_a_cpu),
		cmocka_unit_test(test_the_cpu_is_told_when_it_is_left),
		cmocka_unit_test(test_threads_that_are_not_recorded_have_no_states),
		cmocka_unit_test(test_traces_one_after_the_other_are_one_row),
		cmocka_unit_test(test_a_thread_has_its_last_name),
		cmocka_unit_test(test_too_many_changes_leave_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
