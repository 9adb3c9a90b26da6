/* SPDX-License-Identifier: MIT */
#include "record/perf/priority.h"

int priority_raise(struct priority *before, pthread_t thread, int level)
{
	struct sched_param p = { .sched_priority = level };
	int e = pthread_getschedparam(thread, &before->policy, &before->param);

	if (e == 0)
		e = pthread_setschedparam(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
	before->raised = e == 0;
	return -e;
}

void priority_restore(struct priority *before)
{
	/* A thread without CAP_SYS_NICE cannot take SCHED_RESET_ON_FORK back. */
	if (before->raised && pthread_setschedparam(pthread_self(), before->policy, &before->param) != 0)
		pthread_setschedparam(pthread_self(), before->policy | SCHED_RESET_ON_FORK, &before->param);
	before->raised = false;
}
