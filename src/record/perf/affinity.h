/* SPDX-License-Identifier: MIT */
/*
 * affinity.h - the CPUs on which the calling thread may empty a ring
 *
 * A ring is written by one CPU. Read on the same CPU, or near it, it is in the cache already; in return the thread
 * moves from CPU to CPU.
 */
#ifndef RECORD_PERF_AFFINITY_H
#define RECORD_PERF_AFFINITY_H

#include <sched.h>
#include <sonde/perf_recorder.h>
#include <stdint.h>

struct affinity {
	enum sonde_affinity of;
	cpu_set_t before;
	struct affinity_place {
		cpu_set_t set;
		int32_t node;
	} *places;                   /* by CPU */
	size_t nr;
	int32_t last;                /* the CPU, or the node, that the thread is on; -1: none yet */
};

/* 0 or -SONDE_NOMEM; affinity_end() in any case. */
int affinity_start(struct affinity *a, enum sonde_affinity of, const char *sysfs);

/* The next ring is that of @cpu; < 0: of a thread, which may run anywhere. */
void affinity_follow(struct affinity *a, int32_t cpu);

/* The calling thread may run where it might before. */
void affinity_end(struct affinity *a);

#endif
