/* SPDX-License-Identifier: MIT */
/*
 * synth.h - records for what was there before the recording: the kernel, its modules, tasks and their memory
 *
 * They look as if the kernel had written them, at time 0; their trailer is zero.
 */
#ifndef RECORD_PERF_SYNTH_H
#define RECORD_PERF_SYNTH_H

#include "record/host/build_id.h"
#include "record/perf/write_queue.h"
#include "record/perf/target.h"

struct synth {
	struct write_queue *queue;
	size_t trailer_bytes;        /* sample_id of the events */
	bool data_maps;              /* also what is not executable */
	bool namespaces;
	bool no_tasks, no_maps;      /* leave out FORK and COMM; MMAP2 of processes */
	/* Called now and then: rings must not run full while a large system is described. NULL: not. */
	int (*pause)(void *ctx);
	void *ctx;
};

/* The kernel image and its modules. *hidden is set if kernel.kptr_restrict hides where they are. */
int synth_kernel(struct synth *s, bool *hidden);

/* All control groups; -SONDE_MISSING if this machine does not tell their ids. */
int synth_cgroups(struct synth *s);

/* All tasks of these processes; without any, of all processes. Those that end meanwhile are left out. */
int synth_tasks(struct synth *s, const struct cpus *pids);

#endif
