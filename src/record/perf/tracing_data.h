/* SPDX-License-Identifier: MIT */
/* tracing_data.h - the formats of the recorded tracepoints, as perf.data and old trace.dat files hold them. */
#ifndef RECORD_PERF_TRACING_DATA_H
#define RECORD_PERF_TRACING_DATA_H

#include "base/buf.h"
#include "record/event/event.h"

/* Appends the blob (docs/formats: tracing data) for the tracepoints of the list. 0 or a negative code. */
int tracing_data_make(struct buf *out, const struct events *list, const char *tracefs, struct sonde_error *err);

#endif
