/* SPDX-License-Identifier: MIT */
/* describe.h - the metadata of a recording: the host, the run, the events; at the end what only then is known. */
#ifndef RECORD_PERF_DESCRIBE_H
#define RECORD_PERF_DESCRIBE_H

#include "record/perf/recorder.h"

/* Fills r->meta and r->sources from the opened events. */
int describe_start(struct sonde_perf_recorder *r);

/* What is known when all records have been counted; placed in r->arena. */
int describe_end(struct sonde_perf_recorder *r, struct sonde_meta *out);

#endif
