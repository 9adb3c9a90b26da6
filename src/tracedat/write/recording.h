/* SPDX-License-Identifier: MIT */
/* recording.h - a trace.dat that grows while it is recorded */
#ifndef TRACEDAT_WRITE_RECORDING_H
#define TRACEDAT_WRITE_RECORDING_H

#include <sonde/rewrite.h>

#include "base/err.h"
#include "model/page_sink.h"

/**
 * dat_recording_new - begin a trace.dat at @path
 * @version: 6 or 7, of the finished file; while it grows it is one of version 7
 * @compression: of version 7; SONDE_COMPRESSION_SAME: zstd
 * An existing file is renamed to PATH.old. Nothing is written through a link.
 */
int dat_recording_new(const char *path, int version, enum sonde_compression compression, struct page_sink **out,
		      struct sonde_error *err);

#endif
