/* SPDX-License-Identifier: MIT */
/* packed_sink.h - a sink that compresses the kernel's records with zstd before another sink writes them */
#ifndef PERFDATA_WRITE_PACKED_SINK_H
#define PERFDATA_WRITE_PACKED_SINK_H

#include "base/err.h"
#include "model/sink.h"

/**
 * packed_sink_new - *out is owned, and owns @to: also when this fails
 * @aligned: as COMPRESSED2
 * Each call of records() ends a block that can be decompressed: flushed records are as safe as without compression.
 */
int packed_sink_new(struct sink *to, uint32_t level, bool aligned, struct sink **out, struct sonde_error *err);

#endif
