/* SPDX-License-Identifier: MIT */
/* aux_kind.h - what each driver of hardware traces needs and gives */
#ifndef RECORD_PERF_AUX_KIND_H
#define RECORD_PERF_AUX_KIND_H

#include "record/host/pmu.h"
#include "record/perf/recorder.h"

struct aux_kind {
	bool sampled;                /* parts of the trace may be in samples */
	bool by_thread;              /* the trace has no times, by which the traces of CPUs could be put in order */
	bool quarters;               /* the kernel tells of each quarter of the area; else of each half */
	uint32_t record_bytes;       /* the trace consists of such records, none of which goes over the end; 0: bytes */
	/* The period of an event whose user gives none; NULL: always 1. */
	uint64_t (*period)(const struct pmu *pmu);
	/* Completes the attr. 0 or a negative code with r->err set; NULL: nothing is missing. */
	int (*complete)(struct sonde_perf_recorder *r, struct event *e, const struct pmu *pmu);
	/* The words of AUXTRACE_INFO, at most @max; their number. NULL: such traces are not recorded. */
	size_t (*info)(const struct sonde_perf_recorder *r, const struct pmu *pmu, uint64_t *words, size_t max);
};

/* NULL: the PMU writes no hardware trace. @pmu may be NULL. */
const struct aux_kind *aux_kind_find(const char *pmu);

#endif
