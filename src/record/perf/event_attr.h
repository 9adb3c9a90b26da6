/* SPDX-License-Identifier: MIT */
/* event_attr.h - the attrs for perf_event_open(2), made from events and options */
#ifndef RECORD_PERF_EVENT_ATTR_H
#define RECORD_PERF_EVENT_ATTR_H

#include <sonde/perf_recorder.h>

#include "record/event/event.h"

/* The part of the options that is the same for all events. */
struct attr_plan {
	const struct sonde_perf_recorder_opts *opts;
	bool per_cpu_target;         /* -a or -C */
	bool sample_cpu;             /* all samples have their CPU; attrs_configure() may set it */
	bool starts_with_exec;       /* a command that is enabled by its exec */
	bool inherit;
	uint64_t max_freq_hz;        /* kernel.perf_event_max_sample_rate, 0: not known */
	uint64_t read_format;        /* of all events: files have one */
	uint32_t watermark_bytes;
};

/* Completes the attr of every event, and appends the event that carries the side band. */
int attrs_configure(struct events *list, const struct attr_plan *plan, struct sonde_error *err);

/* Bytes of sample_id, which ends every record but samples. */
size_t attr_trailer_bytes(const struct sonde_attr *attr);

/* Bytes that one sample of this attr is likely to take, its longest parts included. */
uint64_t attr_sample_bytes(const struct sonde_attr *attr);

#endif
