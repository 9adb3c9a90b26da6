/* SPDX-License-Identifier: MIT */
/*
 * priority.h - the priority of the threads of a recorder: real-time, or else the best nice value
 *
 * On a busy machine a thread of ordinary priority gets one share of as many as there are tasks. The thread that
 * empties the rings needs more, and so does the thread that writes: without it the queue between the two fills up.
 */
#ifndef RECORD_PERF_PRIORITY_H
#define RECORD_PERF_PRIORITY_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* The priority that a thread had before. */
struct priority {
	int policy;
	struct sched_param param;
	int nice;
	pid_t tid;
	bool raised, niced;
};

/**
 * priority_raise - SCHED_FIFO at @level for @thread, not for its children
 * Where that is not permitted, the best nice value that is. 0, or a negative errno if the thread is not in real time.
 */
int priority_raise(struct priority *before, pthread_t thread, pid_t tid, int level);

/* The priority from before priority_raise(), for the calling thread. */
void priority_restore(struct priority *before);

#endif
