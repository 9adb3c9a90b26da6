/* SPDX-License-Identifier: MIT */
/* profile_tasks.h - the tasks of a profile: a thread by its ids and the name that it had when it was sampled */
#ifndef ANALYZE_PROFILE_PROFILE_TASKS_H
#define ANALYZE_PROFILE_PROFILE_TASKS_H

#include "analyze/profile/gathering.h"

#define NO_TASK UINT32_MAX           /* out of memory */
#define TASK_LEFT_OUT (UINT32_MAX - 1)

/* Takes in names of threads. 0 or -SONDE_NOMEM. */
int profile_tasks_note(struct gathering *p, const struct sonde_event *ev);

/* Gives tasks the numbers @numbers, which ascend; those of UINT32_MAX are left out. 0 or -SONDE_NOMEM. */
int profile_tasks_renumber(struct gathering *p, const uint32_t *numbers);

/* Whether some tasks are left out. */
bool profile_chooses_tasks(const struct gathering *p);

/* profile_task_known() where the thread is not at hand. */
struct moment_task *profile_task_look_up(struct gathering *p, int32_t machine, int32_t pid, int32_t tid);

/* The number of a task by its ids and name, which need not run here: NO_TASK or TASK_LEFT_OUT if it has none. */
uint32_t profile_task_add(struct gathering *p, struct sonde_str comm, int32_t machine, int32_t pid, int32_t tid);

/* A thread now; its number is NO_TASK or TASK_LEFT_OUT if it has none. */
static inline struct moment_task *profile_task_known(struct gathering *p, int32_t machine, int32_t pid, int32_t tid)
{
	struct moment_task *task = moment_slot(&p->moment, tid);

	return moment_is_at_hand(&p->moment, task, machine, pid, tid) ? task :
									 profile_task_look_up(p, machine, pid, tid);
}

/* Tasks that follow are of the machine of this recording. 0 or -SONDE_NOMEM. */
int profile_tasks_of(struct gathering *p, const struct reader *r);

#endif
