/* SPDX-License-Identifier: MIT */
/* merge_clock.h - the times of an input by the clock of the merged file */
#ifndef PERFDATA_REWRITE_MERGE_CLOCK_H
#define PERFDATA_REWRITE_MERGE_CLOCK_H

#include "perfdata/rewrite/merge.h"

/* A time of an input in the new file; none stays none. */
uint64_t merge_time(struct merge *m, const struct merge_input *in, uint64_t time);

#endif
