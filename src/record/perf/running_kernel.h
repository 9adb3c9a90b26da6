/* SPDX-License-Identifier: MIT */
/* running_kernel.h - facts of the running kernel, for a recording of this kernel that has lost them */
#ifndef RECORD_PERF_RUNNING_KERNEL_H
#define RECORD_PERF_RUNNING_KERNEL_H

#include "base/buf.h"
#include "base/err.h"

/* The address of a symbol that tells where the kernel is loaded ("_text", "_stext"); 0 if it is hidden. */
uint64_t running_kernel_address(const char *symbol);

/**
 * running_kernel_formats - append the tracing data of these tracepoints, as the feature of a perf.data holds it
 * Returns 0, -SONDE_MISSING without a tracefs, or if it has no tracepoint of a number, or the failure of reading it.
 */
int running_kernel_formats(const uint64_t *ids, size_t nr, struct buf *out, struct sonde_error *err);

#endif
