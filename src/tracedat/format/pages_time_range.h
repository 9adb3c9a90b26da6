/* SPDX-License-Identifier: MIT */
/* pages_time_range.h - the pages of an extent that a time range is in */
#ifndef TRACEDAT_FORMAT_PAGES_TIME_RANGE_H
#define TRACEDAT_FORMAT_PAGES_TIME_RANGE_H

#include "tracedat/format/pages.h"

/*
 * Before the first run: what pages say of their time is looked at, and most of those that have nothing from @min to
 * @max are not given; see time_range.c. What is damaged there is not noticed. 0 or -SONDE_NOMEM.
 */
int dat_pages_narrow(struct page_reader *r, const struct dat_clock *clock, int32_t cpu, uint64_t min, uint64_t max);

#endif
