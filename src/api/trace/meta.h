/* SPDX-License-Identifier: MIT */
/* meta.h - the metadata of a trace, with their lists */
#ifndef API_TRACE_META_H
#define API_TRACE_META_H

#include "api/trace/trace.h"

/* Never NULL: empty if the trace is not open. */
const struct meta *trace_meta(const struct sonde_trace *t);

#endif
