/* SPDX-License-Identifier: MIT */
#include "record/perf/priority.h"

#include <errno.h>
#include <sys/resource.h>

#define BEST_NICE (-20)

/* The best nice value that is permitted: by CAP_SYS_NICE the best of all, else by RLIMIT_NICE. */
static void raise_nice(struct priority *before, pid_t tid)
{
	struct rlimit limit;
	int permitted;

	errno = 0;
	before->nice = getpriority(PRIO_PROCESS, (id_t)tid);
	if (errno || getrlimit(RLIMIT_NICE, &limit) < 0)
		return;
	permitted = limit.rlim_cur < 20 - BEST_NICE ? 20 - (int)limit.rlim_cur : BEST_NICE;
	before->niced = setpriority(PRIO_PROCESS, (id_t)tid, BEST_NICE) == 0 ||
			(permitted < before->nice && setpriority(PRIO_PROCESS, (id_t)tid, permitted) == 0);
	before->tid = tid;
}

int priority_raise(struct priority *before, pthread_t thread, pid_t tid, int level)
{
	struct sched_param p = { .sched_priority = level };
	int e = pthread_getschedparam(thread, &before->policy, &before->param);

	if (e == 0)
		e = pthread_setschedparam(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
	before->raised = e == 0;
	if (e)
		raise_nice(before, tid);
	return -e;
}

void priority_restore(struct priority *before)
{
	/* A thread without CAP_SYS_NICE cannot take SCHED_RESET_ON_FORK back. */
	if (before->raised && pthread_setschedparam(pthread_self(), before->policy, &before->param) != 0)
		pthread_setschedparam(pthread_self(), before->policy | SCHED_RESET_ON_FORK, &before->param);
	if (before->niced)
		setpriority(PRIO_PROCESS, (id_t)before->tid, before->nice);
	before->raised = before->niced = false;
}
