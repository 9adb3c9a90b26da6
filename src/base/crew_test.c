/* SPDX-License-Identifier: MIT */
#include "base/crew.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { JOBS = 64, ROUNDS = 100 };

struct crew_step {
	struct crew_job job;
	struct crew_log *log;
	int number, prepared;
};

static struct crew_log {
	bool busy[CREW_MOST];        /* members that prepare a job */
	bool clash;                  /* one prepared two at a time */
	bool took_signals;
	bool inside, overlapped;     /* of finishing */
	int at[JOBS], n;             /* as the jobs were finished, without a lock of their own */
} the_log;

static void prepare_step(struct crew_job *j, unsigned member)
{
	struct crew_step *s = (struct crew_step *)j;
	sigset_t mask;

	if (__atomic_exchange_n(&s->log->busy[member], true, __ATOMIC_ACQ_REL))
		__atomic_store_n(&s->log->clash, true, __ATOMIC_RELAXED);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (member && !sigismember(&mask, SIGUSR1))
		__atomic_store_n(&s->log->took_signals, true, __ATOMIC_RELAXED);
	s->prepared++;
	__atomic_store_n(&s->log->busy[member], false, __ATOMIC_RELEASE);
}

static void finish_step(struct crew_job *j)
{
	struct crew_step *s = (struct crew_step *)j;

	s->log->overlapped |= s->log->inside;
	s->log->inside = true;
	if (s->prepared == 1)
		s->log->at[s->log->n++] = s->number;
	s->log->inside = false;
}

static void give(struct crew *c, struct crew_step *steps, int i)
{
	steps[i] = (struct crew_step){ .job = { .prepare = prepare_step, .finish = finish_step }, .log = &the_log,
				  .number = i };
	crew_give(c, &steps[i].job);
}

static void check_log(int n)
{
	assert_true(the_log.n >= n);
	assert_false(the_log.clash);
	assert_false(the_log.took_signals);
	assert_false(the_log.overlapped);
	for (int i = 0; i < n; i++)
		assert_int_equal(the_log.at[i], i);
}

static void test_jobs_are_finished_in_their_order(void **state)
{
	static struct crew_step steps[JOBS];

	(void)state;
	for (unsigned members = 1; members <= 5; members += 2) {
		struct crew *c = crew_new(members);

		assert_non_null(c);
		assert_in_range(crew_members(c), 1, members);
		for (int round = 0; round < ROUNDS; round++) {
			the_log = (struct crew_log){ 0 };
			for (int i = 0; i < JOBS; i++)
				give(c, steps, i);
			for (int i = 0; i < JOBS; i += 7) {
				crew_wait(c, &steps[i].job);
				assert_int_equal(steps[i].job.state, CREW_IDLE);
			}
			crew_wait(c, &steps[JOBS - 1].job);
			check_log(JOBS);
		}
		crew_free(c);
	}
}

/* A ring of few jobs, as batches are used: each is given again when it has been waited for. */
static void test_a_job_can_be_given_again(void **state)
{
	static struct crew_step steps[4];
	struct crew *c = crew_new(3);

	(void)state;
	the_log = (struct crew_log){ 0 };
	for (int i = 0; i < JOBS; i++) {
		struct crew_step *s = &steps[i % 4];

		crew_wait(c, &s->job);
		*s = (struct crew_step){ .job = { .prepare = prepare_step, .finish = finish_step }, .log = &the_log,
				    .number = i };
		crew_give(c, &s->job);
	}
	for (int i = 0; i < 4; i++)
		crew_wait(c, &steps[i].job);
	check_log(JOBS);
	crew_free(c);
}

static void test_what_was_given_is_finished_at_the_end(void **state)
{
	static struct crew_step steps[JOBS];

	(void)state;
	for (unsigned members = 1; members <= 4; members++) {
		struct crew *c = crew_new(members);

		the_log = (struct crew_log){ 0 };
		for (int i = 0; i < JOBS; i++)
			give(c, steps, i);
		crew_free(c);
		check_log(JOBS);
	}
	crew_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_are_finished_in_their_order),
		cmocka_unit_test(test_a_job_can_be_given_again),
		cmocka_unit_test(test_what_was_given_is_finished_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
