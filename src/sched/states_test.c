/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "sched/states.h"

enum { A = 100, B = 200, C = 300, SLEEP = 1, DISK = 2, DEAD = 0x10, PREEMPTED = 0x100 };

static struct prev_state_letters letters;

static int set_up(void **state)
{
	const struct tracefmt_event none = { 0 };

	(void)state;
	prev_state_letters(&none, &letters);
	return 0;
}

static struct sonde_str str(const char *text)
{
	return (struct sonde_str){ text, strlen(text) };
}

static struct sched_step take(struct sched_states *s, struct sched_event e)
{
	struct sched_step step;

	assert_int_equal(sched_states_take(s, &e, &step), 0);
	return step;
}

static struct sched_step switch_to(struct sched_states *s, uint64_t time, int32_t cpu, int32_t prev,
				   uint64_t prev_state, int32_t next)
{
	return take(s, (struct sched_event){ .kind = SCHED_SWITCH, .time = time, .cpu = cpu, .pid = prev, .tid = prev,
					     .prev = prev, .next = next, .prev_state = prev_state, .letters = &letters,
					     .prev_comm = { "", 0 }, .next_comm = { "", 0 } });
}

static struct sched_step wake(struct sched_states *s, uint64_t time, int32_t cpu, int32_t waker, int32_t task)
{
	return take(s, (struct sched_event){ .kind = SCHED_WAKING, .time = time, .cpu = cpu, .pid = waker, .tid = waker,
					     .task = task, .comm = { "", 0 } });
}

static struct sched_step runs(struct sched_states *s, uint64_t time, int32_t cpu, int32_t tid)
{
	return take(s, (struct sched_event){ .kind = SCHED_RUNS, .time = time, .cpu = cpu, .pid = tid, .tid = tid });
}

static void check(const struct sched_states *s, const struct sched_change *c, int32_t tid, uint8_t from, uint8_t to,
		  uint64_t since, uint64_t time, uint8_t end)
{
	assert_int_equal(s->tasks.at[c->task].tid, tid);
	assert_int_equal(c->from, from);
	assert_int_equal(c->to, to);
	assert_int_equal(c->since, since);
	assert_int_equal(c->time, time);
	assert_int_equal(c->end, end);
}

static void test_a_sleep_a_wakeup_and_a_wait(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	step = switch_to(&s, 10, 0, A, SLEEP, B);
	assert_int_equal(step.nr, 2);
	check(&s, &step.changes[0], A, SCHED_UNKNOWN, SCHED_SLEEPING, 10, 10, SCHED_BEGUN_BEFORE);
	check(&s, &step.changes[1], B, SCHED_UNKNOWN, SCHED_RUNNING, 10, 10, SCHED_BEGUN_BEFORE);
	step = wake(&s, 20, 0, B, A);
	check(&s, &step.changes[0], A, SCHED_SLEEPING, SCHED_RUNNABLE, 10, 20, SCHED_WHOLE);
	assert_int_equal(s.tasks.at[step.waker].tid, B);
	assert_int_equal(s.tasks.at[step.woken].tid, A);
	step = wake(&s, 25, 0, B, A);        /* sched_wakeup after sched_waking */
	assert_int_equal(step.nr, 0);
	step = switch_to(&s, 30, 0, B, PREEMPTED, A);
	check(&s, &step.changes[0], B, SCHED_RUNNING, SCHED_PREEMPTED, 10, 30, SCHED_WHOLE);
	check(&s, &step.changes[1], A, SCHED_RUNNABLE, SCHED_RUNNING, 20, 30, SCHED_WHOLE);
	assert_int_equal(s.tasks.at[0].out, 10);
	assert_int_equal(s.tasks.at[0].ready, 20);
	step = switch_to(&s, 40, 0, A, DISK, 0);
	assert_int_equal(step.nr, 1);
	check(&s, &step.changes[0], A, SCHED_RUNNING, SCHED_BLOCKED, 30, 40, SCHED_WHOLE);
	assert_int_equal(step.next, SCHED_NO_TASK);
	sched_states_free(&s);
}

static void test_a_lost_switch_leaves_no_two_tasks_on_a_cpu(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	switch_to(&s, 1, 3, 0, 0, A);
	step = switch_to(&s, 5, 3, B, SLEEP, C);
	assert_int_equal(step.nr, 3);
	check(&s, &step.changes[0], A, SCHED_RUNNING, SCHED_UNKNOWN, 1, 5, SCHED_CUT);
	check(&s, &step.changes[1], B, SCHED_UNKNOWN, SCHED_SLEEPING, 5, 5, SCHED_BEGUN_BEFORE);
	check(&s, &step.changes[2], C, SCHED_UNKNOWN, SCHED_RUNNING, 5, 5, SCHED_BEGUN_BEFORE);
	sched_states_free(&s);
}

/* Nothing tells how long a task ran that slept half a second and came back unseen. */
static void test_a_task_that_comes_back_unseen_has_no_run(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	switch_to(&s, 1000, 0, A, SLEEP, B);
	step = switch_to(&s, 500000000, 0, A, SLEEP, B);
	for (uint32_t i = 0; i < step.nr; i++)       /* of B it is only known that it came */
		assert_true(step.changes[i].from != SCHED_RUNNING || step.changes[i].to == SCHED_UNKNOWN);
	/* it is seen to run, and then leaves */
	step = runs(&s, 600000000, 0, A);
	step = switch_to(&s, 600010000, 0, A, SLEEP, B);
	check(&s, &step.changes[0], A, SCHED_RUNNING, SCHED_SLEEPING, 600000000, 600010000, SCHED_BEGUN_BEFORE);
	sched_states_free(&s);
}

/* B was seen to run; then the idle task leaves to it: it had left before, unseen. */
static void test_a_task_that_comes_did_not_run_before(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	switch_to(&s, 1000, 0, A, SLEEP, 0);
	runs(&s, 100000, 0, B);
	switch_to(&s, 200000, 0, 0, 0, B);
	step = switch_to(&s, 300000, 0, B, SLEEP, 0);
	check(&s, &step.changes[0], B, SCHED_RUNNING, SCHED_SLEEPING, 200000, 300000, SCHED_WHOLE);
	sched_states_free(&s);
}

static struct sched_states inherited(int32_t between)
{
	struct sched_states s = { 0 };

	for (uint64_t i = 0; i < 200; i += 2) {
		take(&s, (struct sched_event){ .kind = SCHED_SWITCH, .time = 1000 + i, .prev = A, .next = B, .tid = A,
					       .pid = A, .letters = &letters, .some = true });
		if (between >= 0)
			take(&s, (struct sched_event){ .kind = SCHED_SWITCH, .time = 1001 + i, .prev = between,
						       .next = A, .tid = between, .pid = between,
						       .letters = &letters, .some = true });
	}
	return s;
}

/* perf sets the flag for a command and for all tasks alike */
static void test_an_inherited_attr_does_not_tell_whose_switches_there_are(void **state)
{
	struct sched_states of_command = inherited(-1), of_all = inherited(B), with_idle = inherited(0);

	(void)state;
	assert_true(sched_states_of_some(&of_command));
	assert_false(sched_states_of_some(&of_all));
	assert_false(sched_states_of_some(&with_idle));
	sched_states_free(&of_command);
	sched_states_free(&of_all);
	sched_states_free(&with_idle);
}

static void test_tasks_that_were_not_chosen_have_no_states(void **state)
{
	const struct scope_switch switches[] = { { 0, A, 0 }, { 0, B, A }, { 0, A, B } };
	struct sched_scope scope;
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	assert_int_equal(sched_scope_find(switches, 3, &scope), 0);
	s.scope = &scope;
	switch_to(&s, 10, 0, B, PREEMPTED, A);
	step = switch_to(&s, 20, 0, A, SLEEP, B);
	assert_int_equal(step.nr, 1);
	check(&s, &step.changes[0], A, SCHED_RUNNING, SCHED_SLEEPING, 10, 20, SCHED_WHOLE);
	step = switch_to(&s, 90, 0, B, PREEMPTED, A);
	assert_int_equal(step.nr, 1);
	check(&s, &step.changes[0], A, SCHED_SLEEPING, SCHED_RUNNING, 20, 90, SCHED_WHOLE);
	assert_int_equal(s.tasks.n, 1);
	sched_states_free(&s);
	sched_scope_free(&scope);
}

static void test_a_wakeup_while_it_leaves_ends_the_sleep_at_once(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	switch_to(&s, 0, 0, B, SLEEP, A);
	wake(&s, 100000, 1, C, A);           /* so long before that it cannot be the end of this sleep */
	step = switch_to(&s, 200000, 0, A, SLEEP, 0);
	assert_int_equal(step.nr, 1);
	switch_to(&s, 300000, 0, 0, 0, A);
	wake(&s, 399990, 1, C, A);
	step = switch_to(&s, 400000, 0, A, SLEEP, 0);
	assert_int_equal(step.nr, 2);
	check(&s, &step.changes[1], A, SCHED_SLEEPING, SCHED_RUNNABLE, 400000, 400000, SCHED_WHOLE);
	assert_int_equal(s.tasks.at[step.waker].tid, C);
	sched_states_free(&s);
}

static void test_what_spans_a_loss_is_cut(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	switch_to(&s, 10, 0, A, SLEEP, B);
	step = take(&s, (struct sched_event){ .kind = SCHED_LOSS, .time = 20, .cpu = 0, .pid = -1, .tid = -1 });
	check(&s, &step.changes[0], B, SCHED_RUNNING, SCHED_UNKNOWN, 10, 20, SCHED_CUT);
	step = wake(&s, 30, 1, C, A);
	check(&s, &step.changes[0], A, SCHED_SLEEPING, SCHED_RUNNABLE, 10, 30, SCHED_CUT);
	step = switch_to(&s, 40, 1, C, SLEEP, A);
	check(&s, &step.changes[1], A, SCHED_RUNNABLE, SCHED_RUNNING, 30, 40, SCHED_WHOLE);
	sched_states_free(&s);
}

static void test_a_number_that_comes_back_is_another_task(void **state)
{
	struct sched_states s = { 0 };

	(void)state;
	switch_to(&s, 10, 0, B, SLEEP, A);
	switch_to(&s, 20, 0, A, DEAD, B);
	take(&s, (struct sched_event){ .kind = SCHED_NEW, .time = 30, .cpu = 0, .pid = B, .tid = B, .task = A,
				       .comm = str("again") });
	assert_int_equal(s.tasks.n, 3);
	assert_int_equal(s.tasks.at[2].tid, A);
	assert_int_equal(s.tasks.at[2].state, SCHED_RUNNABLE);
	assert_string_equal(sched_task_comm(&s, &s.tasks.at[2]), "again");
	assert_string_equal(sched_task_comm(&s, &s.tasks.at[1]), "");
	sched_states_free(&s);
}

/* PERF_RECORD_SWITCH: no CPU in some; a tracepoint may have told the same. */
static void test_records_of_single_tasks(void **state)
{
	struct sched_states s = { 0 };
	struct sched_event in = { .kind = SCHED_SWITCH_IN, .time = 10, .cpu = -1, .pid = A, .tid = A, .some = true };
	struct sched_event out = in;
	struct sched_step step;

	(void)state;
	take(&s, in);
	out.kind = SCHED_SWITCH_OUT;
	out.time = 25;
	out.preempted = true;
	step = take(&s, out);
	assert_int_equal(step.nr, 1);
	check(&s, &step.changes[0], A, SCHED_RUNNING, SCHED_PREEMPTED, 10, 25, SCHED_WHOLE);
	step = take(&s, out);
	assert_int_equal(step.nr, 0);
	assert_true(s.some);
	sched_states_free(&s);
}

static void test_a_time_that_goes_back_is_taken_as_the_begin(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	switch_to(&s, 50, 0, A, SLEEP, 0);
	step = wake(&s, 40, 1, B, A);
	check(&s, &step.changes[0], A, SCHED_SLEEPING, SCHED_RUNNABLE, 50, 50, SCHED_WHOLE);
	assert_int_equal(s.backwards, 1);
	sched_states_free(&s);
}

static void test_traces_one_after_the_other_begin_anew(void **state)
{
	struct sched_states s = { 0 };
	struct sched_step step;

	(void)state;
	switch_to(&s, 50, 0, A, SLEEP, B);
	sched_states_end_trace(&s);
	step = switch_to(&s, 20, 0, B, SLEEP, A);
	check(&s, &step.changes[0], B, SCHED_UNKNOWN, SCHED_SLEEPING, 20, 20, SCHED_BEGUN_BEFORE);
	check(&s, &step.changes[1], A, SCHED_UNKNOWN, SCHED_RUNNING, 20, 20, SCHED_BEGUN_BEFORE);
	assert_int_equal(s.tasks.n, 2);
	sched_states_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sleep_a_wakeup_and_a_wait),
		cmocka_unit_test(test_a_lost_switch_leaves_no_two_tasks_on_a_cpu),
		cmocka_unit_test(test_a_task_that_comes_back_unseen_has_no_run),
		cmocka_unit_test(test_a_task_that_comes_did_not_run_before),
		cmocka_unit_test(test_an_inherited_attr_does_not_tell_whose_switches_there_are),
		cmocka_unit_test(test_tasks_that_were_not_chosen_have_no_states),
		cmocka_unit_test(test_a_wakeup_while_it_leaves_ends_the_sleep_at_once),
		cmocka_unit_test(test_what_spans_a_loss_is_cut),
		cmocka_unit_test(test_a_number_that_comes_back_is_another_task),
		cmocka_unit_test(test_records_of_single_tasks),
		cmocka_unit_test(test_a_time_that_goes_back_is_taken_as_the_begin),
		cmocka_unit_test(test_traces_one_after_the_other_begin_anew),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
