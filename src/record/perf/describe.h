/* SPDX-License-Identifier: MIT */
/* describe.h - the metadata of a recording: the host, the run and the events at its start, the rest at its end */
#ifndef RECORD_PERF_DESCRIBE_H
#define RECORD_PERF_DESCRIBE_H

#include "record/perf/recorder.h"

/* Fills r->meta and r->evsels from the opened events. */
int describe_start(struct sonde_perf_recorder *r);

/* The BPF programs of the kernel, and those that were in r->bpf before. */
int describe_bpf_programs(struct sonde_perf_recorder *r, struct meta *out);

/* The metadata that needs all records, in r->arena. */
int describe_end(struct sonde_perf_recorder *r, struct meta *out);

#endif
