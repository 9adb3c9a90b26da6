/* SPDX-License-Identifier: MIT */
/* aux_filter.h - address filters of a hardware trace, from the names of functions to the offsets of the kernel */
#ifndef RECORD_PERF_AUX_FILTER_H
#define RECORD_PERF_AUX_FILTER_H

#include "base/buf.h"
#include "record/event/event.h"

/**
 * aux_filter_resolve - "filter main @ ./a.out, stop 0x1040 @ /bin/ls" as "filter 0x1139/0x2a@/home/me/a.out,stop ..."
 * ACTION WHERE [/ SIZE] [@ FILE]: ACTION is filter, start, stop or tracestop; WHERE an offset in the file, a function,
 * or * for all of it; SIZE a number, or the last function. Without a file, WHERE is in the kernel.
 */
int aux_filter_resolve(const char *text, const struct event_roots *roots, struct buf *out, struct sonde_error *err);

#endif
