/* SPDX-License-Identifier: MIT */
/*
 * gather.h - samples become counts in a profile's cells, in batches
 *
 * What depends on the state of tasks is known when a sample comes: whose it is, and the address spaces of its addresses, whose roots do
 * not change. What is left (symbols, stacks, cells) depends on nothing that comes later, so a thread does it while the next samples are
 * read. Batches are counted one after the other: the numbers of frames, stacks and cells do not depend on there being a thread. Samples without
 * callchains are counted at once.
 */
#ifndef ANALYZE_GATHER_H
#define ANALYZE_GATHER_H

#include "base/worker.h"
#include "threads/tasks.h"

struct sonde_profile;

/* One being filled, the others counted or waiting for it. */
#define GATHER_BATCHES 4

struct gather {
	struct gather_batch *batches[GATHER_BATCHES];  /* made when they are needed */
	struct worker *worker;       /* NULL: there have been few samples */
	uint32_t filling;
	uint32_t nr_alone;           /* batches that have been counted without one */
};

/* A sample, but for its callchain. */
struct gathered {
	struct task_roots roots;
	uint64_t ip, period, latency;
	uint32_t event, task, detail;  /* numbers in the profile */
	uint32_t parallelism;
	int32_t cpu;
	uint8_t cpumode;
};

/* Takes a sample; its chain is copied. 0 or -SONDE_NOMEM, also because of an earlier one. */
int gather_sample(struct sonde_profile *p, const struct gathered *s, const struct u64s *chain);

/* Counts all that has been taken, and ends the thread. 0 or -SONDE_NOMEM. */
int gather_end(struct sonde_profile *p);

#endif
