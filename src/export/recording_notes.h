/* SPDX-License-Identifier: MIT */
/* recording_notes.h - what is worth knowing of a recording, for formats with comments */
#ifndef EXPORT_RECORDING_NOTES_H
#define EXPORT_RECORDING_NOTES_H

#include "export/export.h"

/* Passes each note to @take: command line, host, kernel, clock, duration, losses. 0 or -SONDE_NOMEM. */
int recording_notes(const struct export *x, void (*take)(void *ctx, const char *text), void *ctx);

/* The name of the clock of the samples' times, as trace_clock_name(); NULL: not known. */
const char *recording_clock(const struct export *x);

/* The wall-clock time of the first sample, ns since 1970; 0: the recording does not tell. */
uint64_t recording_wall_ns(const struct export *x);

#endif
