/* SPDX-License-Identifier: MIT */
/* plan.h - what the options mean for attrs, filters and rings */
#ifndef RECORD_PERF_PLAN_H
#define RECORD_PERF_PLAN_H

#include "record/perf/recorder.h"

/* Completes the attrs of all events, and adds the event of the side band. */
int plan_attrs(struct sonde_perf_recorder *r);

/* The size of a ring for samples. For root it holds 100 ms at the wanted rate; tracepoints come at any rate. */
size_t plan_ring_bytes(const struct sonde_perf_recorder *r);

/* Adds the filters that leave the recorder's own system calls out. Its threads have to run by then. */
int plan_leave_out_self(struct sonde_perf_recorder *r);

#endif
