/* SPDX-License-Identifier: MIT */
/* thread.h - a thread of the library's own. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

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

/* CPUs that this process may use; at least 1. */
static inline unsigned thread_nr_cpus(void)
{
	cpu_set_t cpus;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		return (unsigned)CPU_COUNT(&cpus);
	return online > 1 ? (unsigned)online : 1;  /* more CPUs than the set has room for */
}

#endif
