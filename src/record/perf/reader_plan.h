/* SPDX-License-Identifier: MIT */
/* reader_plan.h - the threads that empty rings: which CPUs' rings each has, and where it runs */
#ifndef RECORD_PERF_READER_PLAN_H
#define RECORD_PERF_READER_PLAN_H

#include <sched.h>

#include "base/err.h"
#include "base/vec.h"
#include "record/host/sysfile.h"

struct reader_place {
	cpu_set_t rings;             /* the CPUs whose rings it empties */
	cpu_set_t runs_on;
};

struct reader_plan {
	struct reader_place *at;
	size_t n, cap;
};

/**
 * reader_plan_parse - "cpu", "core", "package", "numa", or CPUS/CPUS[:CPUS/CPUS...] (rings and where the thread runs)
 * @cpus: those that are recorded; others are left out, and so are threads that then have no rings
 * No CPU may have two threads. 0, -SONDE_USAGE or -SONDE_NOMEM.
 */
int reader_plan_parse(struct reader_plan *out, const char *text, const struct cpus *cpus, const char *sysfs,
		      struct sonde_error *err);

/* The same rules without a machine: is it a plan at all? */
int reader_plan_check(const char *text, struct sonde_error *err);

#endif
