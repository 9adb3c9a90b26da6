/* SPDX-License-Identifier: MIT */
/* tracepoint.h - the formats of a trace's tracepoints */
#ifndef API_TRACE_TRACEPOINT_H
#define API_TRACE_TRACEPOINT_H

#include "api/trace/trace.h"

/* NULL if the trace has none. They live until the trace is freed, because programs have pointers to them. */
const struct tracefmt *trace_formats(struct sonde_trace *t);

#endif
