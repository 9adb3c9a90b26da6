/* SPDX-License-Identifier: MIT */
#include "insight/base/shown.h"

static bool has(const int32_t *list, size_t n, int32_t x)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == x)
			return true;
	return !n;
}

bool shows_cpu(const struct sonde_query *shown, int32_t cpu)
{
	return has(shown->cpus, shown->nr_cpus, cpu);
}

bool shows_task(const struct sonde_query *shown, const struct sched_states *states, uint32_t task)
{
	const struct sched_task *t = task == SCHED_NO_TASK ? NULL : &states->tasks.at[task];

	return has(shown->tids, shown->nr_tids, t ? t->tid : 0) && has(shown->pids, shown->nr_pids, t ? t->pid : 0);
}

bool shows_time(const struct sonde_query *shown, uint64_t time)
{
	return time >= shown->time_min && (!shown->time_max || time <= shown->time_max);
}

bool cut_to_shown(const struct sonde_query *shown, uint64_t *length, uint64_t *time)
{
	const uint64_t min = shown->time_min, max = shown->time_max ? shown->time_max : UINT64_MAX;
	uint64_t begun;

	if (*length == SONDE_NONE)
		return shows_time(shown, *time);
	begun = *time - *length;
	if (*time < min || begun > max)
		return false;
	begun = begun < min ? min : begun;
	*time = *time > max ? max : *time;
	*length = *time - begun;
	return true;
}
