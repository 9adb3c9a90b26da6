/* SPDX-License-Identifier: MIT */
/* trigger.h - events that are not recorded, but make the recorder go on with another file */
#ifndef RECORD_PERF_TRIGGER_H
#define RECORD_PERF_TRIGGER_H

#include "record/perf/arrivals.h"
#include "record/perf/counters.h"

struct trigger {
	struct events events;
	struct target target;
	struct counters counters;
	struct arrivals arrivals;    /* of each CPU, or of each thread */
};

#define TRIGGER_NONE ((struct trigger){ .arrivals = ARRIVALS_NONE })

/* Adds events that can fire: tracepoints, breakpoints and events with a period. */
int trigger_add(struct trigger *t, const char *text, const struct event_roots *roots, struct sonde_error *err);

/*
 * Opens t->events, if there are any: on the tasks that @opts names, or else on all CPUs, as perf does, even if a
 * command is recorded. @opened_by: its messenger and its way to more files are used
 */
int trigger_open(struct trigger *t, const struct sonde_perf_recorder_opts *opts, const struct counters *opened_by,
		 const char *sysfs, struct sonde_error *err);

void trigger_close(struct trigger *t);

#endif
