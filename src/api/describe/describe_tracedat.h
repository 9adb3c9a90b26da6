/* SPDX-License-Identifier: MIT */
/* describe_tracedat.h - the description of a trace.dat. */
#ifndef API_DESCRIBE_DESCRIBE_TRACEDAT_H
#define API_DESCRIBE_DESCRIBE_TRACEDAT_H

#include <sonde/describe.h>

#include "base/buf.h"

/* As sonde_trace_describe(), appended to a buffer. */
int describe_tracedat(struct sonde_trace *t, struct buf *out, const struct sonde_describe_opts *opts,
		      struct sonde_error *err);

#endif
