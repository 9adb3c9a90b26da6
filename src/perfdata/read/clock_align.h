/* SPDX-License-Identifier: MIT */
/* clock_align.h - how the clocks of two recordings stand to each other */
#ifndef PERFDATA_READ_CLOCK_ALIGN_H
#define PERFDATA_READ_CLOCK_ALIGN_H

#include "model/reader.h"

/* Whether both say which machine they are from, and it is not the same. */
bool perfdata_hosts_differ(const struct reader *a, const struct reader *b);
/* Whether the recorder noted a moment by the wall clock and by its own. */
bool perfdata_has_wall_clock(const struct reader *r);
bool perfdata_align(const struct reader *r, const struct reader *first, int64_t *shift);

#endif
