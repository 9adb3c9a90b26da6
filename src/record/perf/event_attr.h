/* SPDX-License-Identifier: MIT */
/* event_attr.h - from what is to be recorded to the attrs for perf_event_open(2). */
#ifndef RECORD_PERF_EVENT_ATTR_H
#define RECORD_PERF_EVENT_ATTR_H

#include <sonde/perf_recorder.h>

#include "record/perf/event.h"

/* What the options come to, once and for all events. */
struct attr_plan {
	const struct sonde_perf_recorder_opts *opts;
	bool per_cpu_target;         /* -a or -C */
	bool sample_cpu;             /* all samples say their CPU: attrs_configure() adds its own reasons */
	bool starts_with_exec;       /* a command that is enabled by its exec */
	bool inherit;
	uint64_t max_freq_hz;        /* kernel.perf_event_max_sample_rate, 0: not known */
	uint64_t read_format;        /* of all events: files have one */
	uint32_t watermark_bytes;
};

/* Completes the attr of every event; the last one is made the carrier of the side band. */
int attrs_configure(struct events *list, const struct attr_plan *plan, struct sonde_error *err);

/* Bytes that one sample of this attr is likely to take, its longest parts included. */
uint64_t attr_sample_bytes(const struct sonde_attr *attr);

#endif
