/* SPDX-License-Identifier: MIT */
/* tracing_union.h - the formats of tracepoints of two recordings in one blob; its layout: tracefmt/blob.c. */
#ifndef PERFDATA_REWRITE_TRACING_UNION_H
#define PERFDATA_REWRITE_TRACING_UNION_H

#include <sonde/types.h>

#include "base/buf.h"

/**
 * tracing_union - append a blob to @out that has what both have
 * Symbols, strings and command names are those of @a, unless it has none. Returns 0, -SONDE_NOMEM, -SONDE_CORRUPT for a
 * blob that cannot be read, or -SONDE_UNSUPPORTED when a number means one tracepoint in @a and another in @b; @out is
 * unchanged then.
 */
int tracing_union(struct buf *out, struct sonde_bytes a, struct sonde_bytes b, struct sonde_error *err);

#endif
