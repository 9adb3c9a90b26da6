/* SPDX-License-Identifier: MIT */
/*
 * crew.h - jobs of two parts: the first by several threads at a time, the second in the order of the jobs
 *
 *	struct task { struct crew_job job; ... };   the job is the first member
 *	task->job = (struct crew_job){ .prepare = do_first_part, .finish = do_second_part };
 *	crew_give(c, &task->job);
 *	... something else ...
 *	crew_wait(c, &task->job);
 *
 * The giver is a member of the crew while it waits. So nothing depends on when the other threads run: without a second
 * thread the giver does all the work, and what the second parts see is the same for any number of threads.
 *
 * For work whose first parts are most of it. One helper that prepares what comes next is a worker (base/worker.h); text
 * in the order of its input is made by an ordered pool (base/ordered_pool.h), whose threads read, too.
 */
#ifndef BASE_CREW_H
#define BASE_CREW_H

#include <stdbool.h>

enum { CREW_MOST = 16 };  /* members */

struct crew;

enum crew_state { CREW_IDLE, CREW_GIVEN, CREW_PREPARING, CREW_PREPARED, CREW_FINISHING };

struct crew_job {
	/* @member: the number of the thread, below that of crew_members(); two at a time have different ones */
	void (*prepare)(struct crew_job *j, unsigned member);
	void (*finish)(struct crew_job *j);   /* by any thread, never two of a crew's at a time */
	struct crew_job *next;                /* the crew's, as is the state */
	enum crew_state state;
};

/* A crew of @members threads with the caller, from 1 to CREW_MOST; fewer if threads cannot be had. NULL when out of
 * memory. Its threads get no signals. */
struct crew *crew_new(unsigned members);

/* After the jobs that have been given are finished. NULL is accepted. */
void crew_free(struct crew *c);

unsigned crew_members(const struct crew *c);

/* The job is the crew's until it has been waited for. */
void crew_give(struct crew *c, struct crew_job *j);

/* Returns when the job is finished; what it wrote can be read then. One that was never given is finished. */
void crew_wait(struct crew *c, struct crew_job *j);

#endif
