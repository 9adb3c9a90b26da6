/* SPDX-License-Identifier: MIT */
#include "base/worker.h"

#include "base/thread.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 64, ROUNDS = 200 };

struct worker_step {
	struct job job;
	struct log *log;
	int number;
};

static struct log {
	int at[JOBS + 1], n;         /* as the jobs were done, without a lock of their own */
	bool inside, overlapped, took_signals;
} the_log;
static sem_t all_done;

static void take_step(struct job *j)
{
	struct worker_step *s = (struct worker_step *)j;
	sigset_t mask;

	s->log->overlapped |= s->log->inside;
	s->log->inside = true;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	s->log->took_signals |= !sigismember(&mask, SIGUSR1);
	s->log->at[s->log->n++] = s->number;
	s->log->inside = false;
}

static void give_all(struct worker *w, struct worker_step *steps)
{
	the_log = (struct log){ 0 };
	for (int i = 0; i < JOBS; i++) {
		steps[i] = (struct worker_step){ .job.run = take_step, .log = &the_log, .number = i };
		worker_give(w, &steps[i].job);
	}
}

static void check_log(int n)
{
	assert_true(the_log.n >= n);
	assert_false(the_log.overlapped);
	for (int i = 0; i < n; i++)
		assert_int_equal(the_log.at[i], i);
}

static void test_jobs_are_done_in_their_order(void **state)
{
	struct worker *w = worker_new();
	struct worker_step steps[JOBS];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		give_all(w, steps);
		if (round % 2)
			usleep(10);
		worker_wait(w, &steps[round % JOBS].job);
		worker_wait(w, &steps[round % JOBS].job);  /* it is done */
		worker_wait(w, &steps[JOBS - 1].job);
		check_log(JOBS);
	}
	worker_free(w);
}

static void test_free_leaves_no_job_undone(void **state)
{
	struct worker_step steps[JOBS];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct worker *w = worker_new();

		give_all(w, steps);
		worker_free(w);
		check_log(JOBS);
	}
	worker_free(NULL);
}

static void post(struct job *j)
{
	take_step(j);
	sem_post(&all_done);
}

/* Nobody waits for the jobs here, and yet they are done. */
static void test_the_thread_works_by_itself(void **state)
{
	struct worker *w = worker_new();
	struct worker_step steps[JOBS], last = { .job.run = post, .log = &the_log, .number = JOBS };
	struct timespec limit;

	(void)state;
	give_all(w, steps);
	if (thread_nr_cpus() < 2) {
		worker_free(w);
		skip();
	}
	sem_init(&all_done, 0, 0);
	worker_give(w, &last.job);
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	assert_int_equal(sem_timedwait(&all_done, &limit), 0);
	worker_free(w);
	check_log(JOBS);
	assert_false(the_log.took_signals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_are_done_in_their_order),
		cmocka_unit_test(test_free_leaves_no_job_undone),
		cmocka_unit_test(test_the_thread_works_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
