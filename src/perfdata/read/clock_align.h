/* SPDX-License-Identifier: MIT */
/* clock_align.h - the clock of a perf.data */
#ifndef PERFDATA_READ_CLOCK_ALIGN_H
#define PERFDATA_READ_CLOCK_ALIGN_H

#include "model/reader.h"

/* Whether the recorder noted a moment by the wall clock and by its own. */
bool perfdata_has_wall_clock(const struct reader *r);
/* See struct reader_ops. */
void perfdata_clock(const struct reader *r, struct clock_facts *out);

#endif
