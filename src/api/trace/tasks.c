/* SPDX-License-Identifier: MIT */
/* tasks.c - the public functions of tasks (threads/tasks.h) */
#include "api/trace/tasks.h"

#include <stdlib.h>

#include "api/trace/meta.h"

struct sonde_tasks *sonde_tasks_new(struct sonde_trace *t)
{
	struct sonde_tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	tasks->trace = t;
	if (tasks_init(&tasks->tasks) < 0) {
		sonde_tasks_free(tasks);
		return NULL;
	}
	return tasks;
}

void sonde_tasks_free(struct sonde_tasks *tasks)
{
	if (!tasks)
		return;
	tasks_free(&tasks->tasks);
	free(tasks);
}

int sonde_tasks_apply(struct sonde_tasks *tasks, const struct sonde_event *ev)
{
	tasks->last = *ev;
	if (ev->kind == SONDE_KIND_SAMPLE)
		return 0;
	if (binaries_note_build_ids(&tasks->tasks.binaries, trace_meta(tasks->trace)) < 0)
		return -SONDE_NOMEM;
	return tasks_apply(&tasks->tasks, ev);
}

const char *sonde_tasks_comm(const struct sonde_tasks *tasks, int32_t pid, int32_t tid)
{
	return tasks_comm(&tasks->tasks, 0, pid, tid);
}

const char *sonde_tasks_comm_of(const struct sonde_tasks *tasks, const struct sonde_event *ev)
{
	return tasks_comm(&tasks->tasks, ev->machine_pid, ev->pid, ev->tid);
}
