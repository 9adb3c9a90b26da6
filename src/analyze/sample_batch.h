/* SPDX-License-Identifier: MIT */
/*
 * sample_batch.h - samples become counts in a profile's cells, in batches
 *
 * The state of tasks is looked at when a sample comes: its task, and the roots of its address spaces, which do not
 * change. Symbols, stacks and cells depend on nothing that comes later, so a thread counts a batch while the next
 * samples are read. Batches are counted in their order: the numbers of frames, stacks and cells are the same without
 * a thread. Samples without callchains are counted at once.
 */
#ifndef ANALYZE_SAMPLE_BATCH_H
#define ANALYZE_SAMPLE_BATCH_H

#include "base/worker.h"
#include "threads/tasks.h"

struct sonde_profile;

/* One is being filled; the others are counted or wait for it. */
#define NR_SAMPLE_BATCHES 4

struct sample_batches {
	struct sample_batch *batches[NR_SAMPLE_BATCHES];  /* made when they are needed */
	struct worker *worker;       /* NULL: there have been few samples */
	uint32_t filling;
	uint32_t nr_alone;           /* batches that were counted before there was a thread */
};

/* A sample without its callchain. */
struct profile_sample {
	struct task_roots roots;
	uint64_t ip, period, latency;
	uint32_t event, task, detail;  /* numbers in the profile */
	uint32_t parallelism;
	int32_t cpu;
	uint8_t cpumode;
	bool unwound;                /* the user part of its chain is ours */
};

/* Takes a sample; its chain is copied. 0 or -SONDE_NOMEM, also because of an earlier one. */
int sample_batch_add(struct sonde_profile *p, const struct profile_sample *s, const struct u64s *chain);

/* Counts the samples that are left, and ends the thread. 0 or -SONDE_NOMEM. */
int sample_batches_end(struct sonde_profile *p);

/* Cells were left out or have changed: the others get new numbers. No batch is being counted. 0 or -SONDE_NOMEM. */
int cells_number(struct sonde_profile *p);

#endif
