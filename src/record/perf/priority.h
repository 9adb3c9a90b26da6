/* SPDX-License-Identifier: MIT */
/*
 * priority.h - the real-time priority of the threads of a recorder
 *
 * On a busy machine a thread of ordinary priority gets one share of as many as there are tasks. The thread that
 * empties the rings needs more, and so does the thread that writes: without it the queue between the two fills up.
 */
#ifndef RECORD_PERF_PRIORITY_H
#define RECORD_PERF_PRIORITY_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* What a thread had before. */
struct priority {
	int policy;
	struct sched_param param;
	bool raised;
};

/* SCHED_FIFO at @level for @thread, not for its children. 0 or a negative errno. */
int priority_raise(struct priority *before, pthread_t thread, int level);

/* The priority from before priority_raise(), for the calling thread. */
void priority_restore(struct priority *before);

#endif
