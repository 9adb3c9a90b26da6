/* SPDX-License-Identifier: MIT */
/*
 * synth.h - records that describe what exists before the recording: the kernel, its modules, tasks and their memory
 *
 * The records look as if the kernel had written them at time 0; their sample_id is zero.
 */
#ifndef RECORD_PERF_SYNTH_H
#define RECORD_PERF_SYNTH_H

#include "record/event/target.h"
#include "record/host/bpf_programs.h"
#include "record/host/build_id.h"
#include "record/perf/write_queue.h"

struct synth {
	struct write_queue *queue;
	size_t trailer_bytes;        /* sample_id of the events */
	bool data_maps;              /* mappings without execute permission too */
	bool namespaces;
	bool no_tasks, no_maps;      /* leave out FORK and COMM; MMAP2 of processes */
	/* Called now and then, so that rings do not run full while a large system is described; may be NULL. */
	int (*pause)(void *ctx);
	void *ctx;
};

/* The kernel image and its modules. *hidden is set if kernel.kptr_restrict hides where they are. */
int synth_kernel(struct synth *s, bool *hidden);

/*
 * KSYMBOL for each function of the programs, and BPF_EVENT for each program, that were there when the file began. The
 * kernel wrote those of the others.
 */
int synth_bpf_programs(struct synth *s, const struct bpf_programs *b);

/* All control groups; -SONDE_MISSING if their ids are not available. */
int synth_cgroups(struct synth *s);

/*
 * All tasks of these processes, of all processes if the list is empty. Tasks that end meanwhile are left out.
 * @children: and those of the processes that they have started
 */
int synth_tasks(struct synth *s, const struct cpus *pids, bool children);

#endif
