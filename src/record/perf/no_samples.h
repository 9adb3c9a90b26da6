/* SPDX-License-Identifier: MIT */
/* no_samples.h - why a recording has no samples, as far as the counters and the options tell */
#ifndef RECORD_PERF_NO_SAMPLES_H
#define RECORD_PERF_NO_SAMPLES_H

#include "record/perf/recorder.h"

/*
 * Before the counters are closed. A clause for each event: "page-faults happened 0 times". In r->arena; NULL when out
 * of memory.
 */
const char *no_samples_reason(struct sonde_perf_recorder *r);

#endif
