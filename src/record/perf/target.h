/* SPDX-License-Identifier: MIT */
/* target.h - which threads, on which CPUs: the cells in each of which every event is opened once. */
#ifndef RECORD_PERF_TARGET_H
#define RECORD_PERF_TARGET_H

#include <sonde/perf_recorder.h>

#include "record/host/sysfile.h"

struct target {
	struct cpus cpus;            /* one entry of -1 if threads are followed over all CPUs by one event */
	struct cpus tids;            /* one entry of -1 if it is CPUs that are measured */
	struct cpus pids;            /* processes to be described at the start; none with CPUs: all of them */
	bool system_wide;            /* CPUs are measured, whoever runs there */
	struct cpus measured;        /* those of `cpus` that are, where it is not all: the side band comes from all, since tasks move */
};

/* @child: the command's process, which waits; -1 if there is none. */
int target_resolve(struct target *t, const struct sonde_perf_recorder_opts *opts, int32_t child, const char *sysfs,
		   struct sonde_error *err);
void target_free(struct target *t);

#endif
