/* SPDX-License-Identifier: MIT */
/* stream_time_range.h - the part of a stream that a time range is in */
#ifndef TRACEDAT_READ_STREAM_TIME_RANGE_H
#define TRACEDAT_READ_STREAM_TIME_RANGE_H

#include "tracedat/read/stream.h"

/* Before the first record, see walk_narrow() in reader.h: 0 or -SONDE_NOMEM. */
int dat_stream_narrow(struct stream *s, uint64_t min, uint64_t max, struct sonde_error *err);

#endif
