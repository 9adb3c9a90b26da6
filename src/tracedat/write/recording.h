/* SPDX-License-Identifier: MIT */
/* recording.h - a trace.dat that grows while it is recorded */
#ifndef TRACEDAT_WRITE_RECORDING_H
#define TRACEDAT_WRITE_RECORDING_H

#include "base/err.h"
#include "model/page_sink.h"

/**
 * dat_recording_new - begin a trace.dat at @path
 * @version: 6 or 7, of the finished file; while it grows it is one of version 7
 * An existing file is renamed to PATH.old. Nothing is written through a link.
 */
int dat_recording_new(const char *path, int version, struct page_sink **out, struct sonde_error *err);

#endif
