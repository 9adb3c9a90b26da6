/* SPDX-License-Identifier: MIT */
/* trace_clock.h - the clock of a recording's times, and the wall clock beside it */
#ifndef EXPORT_TRACE_CLOCK_H
#define EXPORT_TRACE_CLOCK_H

#include "model/meta.h"

/*
 * The name of the clock: "monotonic"; "perf", the kernel's own for perf events; "local", of a trace.dat; "unknown".
 * @attr: of an event of the recording; NULL in a trace.dat
 */
const char *trace_clock_name(const struct meta *meta, const struct sonde_attr *attr);

/* Nanoseconds since 1970 at @time of the recording; SONDE_NONE if the recording does not say, or @time is that. */
uint64_t trace_clock_wall_ns(const struct meta *meta, const struct sonde_attr *attr, uint64_t time);

#endif
