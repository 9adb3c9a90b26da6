/* SPDX-License-Identifier: MIT */
/* thread.h - a thread of the library's own. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

/*
 * As pthread_create(), but signals are for the threads of the program and not for this one. SIGPIPE alone comes to
 * whoever writes, and stays what it is there.
 */
static inline int thread_begin(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, mask;
	int e;

	sigfillset(&all);
	sigdelset(&all, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	e = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return e;
}

#endif
