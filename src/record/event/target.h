/* SPDX-License-Identifier: MIT */
/* target.h - the threads and CPUs that are recorded: every event is opened once for each pair */
#ifndef RECORD_EVENT_TARGET_H
#define RECORD_EVENT_TARGET_H

#include <sonde/perf_recorder.h>

#include "record/host/sysfile.h"

struct target {
	struct cpus cpus;            /* one entry of -1 if threads are followed over all CPUs by one event */
	struct cpus tids;            /* one entry of -1 if CPUs are measured */
	struct cpus pids;            /* processes to describe at the start; with CPUs, an empty list means all */
	bool skip_ended;             /* set before: tasks that have ended are left out */
	bool system_wide;            /* CPUs are measured, whatever runs there */
	struct cpus measured;        /* the CPUs to sample; the side band comes from all, since tasks move */
};

/* @child: the process of the command, which waits for its start; -1 if there is none. */
int target_resolve(struct target *t, const struct sonde_perf_recorder_opts *opts, int32_t child, const char *sysfs,
		   struct sonde_error *err);
void target_free(struct target *t);

#endif
