/* SPDX-License-Identifier: MIT */
/* dat_counts.h - the number of events of a trace.dat, as trace-cmd report shows them */
#ifndef API_DESCRIBE_DAT_COUNTS_H
#define API_DESCRIBE_DAT_COUNTS_H

#include <sonde/trace.h>

#include "base/u64map.h"
#include "base/vec.h"

struct cpu_count {
	int32_t cpu;
	uint64_t n;
};

/* Events by name, buffer and CPU. */
struct event_counts {
	uint64_t events, unknown, lost, losses_unknown, lines;
	VEC(uint64_t) evsels;            /* by index */
	VEC(struct cpu_count) cpus;      /* in order of appearance */
	struct u64map cpu_index;
	uint32_t last_cpu;               /* index of the CPU of the last event */
	uint64_t time_min, time_max;
	/* The previous event, if it is the entry into a function: see is_leaf_exit(). */
	const struct sonde_evsel *entry;
	int32_t entry_pid;
	uint64_t entry_func, leaf_exits;
};

/*
 * Counts all events of a trace in time order. Negative with an error, perhaps after a part of the events. The caller
 * frees the counts in any case.
 */
int event_counts_make(struct event_counts *c, struct sonde_trace *t, struct sonde_error *err);
void event_counts_free(struct event_counts *c);

#endif
