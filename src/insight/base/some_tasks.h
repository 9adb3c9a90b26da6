/* SPDX-License-Identifier: MIT */
/* some_tasks.h - whether a recording has the switches of some tasks only: what an analysis says of it */
#ifndef INSIGHT_BASE_SOME_TASKS_H
#define INSIGHT_BASE_SOME_TASKS_H

#include "sched/states.h"

struct some_tasks {
	bool some;
	uint64_t switches;
	uint64_t unseen;             /* of them: of a task that was not seen to come to its CPU */
};

/* A switch. @known: when the run began that it ends, or it is the idle task's */
static inline void some_tasks_count(struct some_tasks *s, const struct sched_states *states, bool known)
{
	s->switches++;
	s->unseen += !known;
	s->some |= states->scope && states->scope->some;
}

/* At the end. An attr that is inherited may be of one command or of all tasks (perf 6.1 -a). */
static inline bool some_tasks_only(const struct some_tasks *s, const struct sched_states *states)
{
	return s->some || (states->some && s->unseen > s->switches / SCHED_SOME_SHARE);
}

#endif
