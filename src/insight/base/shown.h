/* SPDX-License-Identifier: MIT */
/*
 * shown.h - what of a trace the tables show: CPUs, processes, threads, a range of times
 *
 * States are those of the whole trace. A choice leaves out rows; it never changes a value of those that stay.
 */
#ifndef INSIGHT_BASE_SHOWN_H
#define INSIGHT_BASE_SHOWN_H

#include <stdbool.h>

#include <sonde/trace.h>

#include "sched/states.h"

bool shows_cpu(const struct sonde_query *shown, int32_t cpu);

/* @task: a number of @states; SCHED_NO_TASK: the idle task */
bool shows_task(const struct sonde_query *shown, const struct sched_states *states, uint32_t task);

bool shows_time(const struct sonde_query *shown, uint64_t time);

/*
 * Cuts what lasted @length until @time at the borders of the time that is shown. @length may be SONDE_NONE: not known.
 * False: none of it is in there.
 */
bool cut_to_shown(const struct sonde_query *shown, uint64_t *length, uint64_t *time);

#endif
