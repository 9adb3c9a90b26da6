/* SPDX-License-Identifier: MIT */
/* running_kernel.h - what the kernel that runs here says of itself, for a recording of its own that has lost it. */
#ifndef RECORD_PERF_RUNNING_KERNEL_H
#define RECORD_PERF_RUNNING_KERNEL_H

#include "base/buf.h"
#include "base/err.h"

/* Where a symbol lies by which recorders tell where the kernel was loaded ("_text", "_stext"); 0 if that is hidden. */
uint64_t running_kernel_address(const char *symbol);

/**
 * running_kernel_formats - append the tracing data of these tracepoints, as the feature of a perf.data holds it
 * Returns 0, -SONDE_MISSING without a tracefs, or if it has no tracepoint of a number, or the failure of reading it.
 */
int running_kernel_formats(const uint64_t *ids, size_t nr, struct buf *out, struct sonde_error *err);

#endif
