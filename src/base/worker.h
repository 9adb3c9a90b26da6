/* SPDX-License-Identifier: MIT */
/*
 * worker.h - jobs done by another thread, one after the other, in the order in which they are given
 *
 *	struct task { struct job job; ... };    the job is the first member
 *	task->job.run = do_task;
 *	worker_give(w, &task->job);
 *	... something else ...
 *	worker_wait(w, &task->job);
 *
 * The caller does the jobs that the thread has not begun when it waits for one of them. So nothing depends on when the
 * thread runs: without a second CPU, or without a thread, the caller does all the work. Jobs that several threads can
 * do at a time are for a crew (base/crew.h).
 */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include <stdbool.h>

struct worker;

struct job {
	void (*run)(struct job *j);  /* by either thread, never two of a worker's at a time */
	struct job *next;            /* the worker's */
	bool given;                  /* and not yet waited for: the giver's */
	bool done;                   /* the worker's: see worker_has_done() */
};

/* Its thread gets no signals. NULL when out of memory. */
struct worker *worker_new(void);

/* After the jobs that have been given are done. NULL is accepted. */
void worker_free(struct worker *w);

/* The job is the worker's until it has been waited for. */
void worker_give(struct worker *w, struct job *j);

/* Returns when the job is done; what it wrote can be read then. One that is not given, or has been
 * waited for, is done. */
void worker_wait(struct worker *w, struct job *j);

/* Whether waiting for it would take no time. */
static inline bool worker_has_done(const struct job *j)
{
	return !j->given || __atomic_load_n(&j->done, __ATOMIC_ACQUIRE);
}

/* Returns when nothing is being done or waits to be: jobs stay given. NULL is accepted. */
void worker_settle(struct worker *w);

#endif
