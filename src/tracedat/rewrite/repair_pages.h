/* SPDX-License-Identifier: MIT */
/* repair_pages.h - writes the valid part of pages */
#ifndef TRACEDAT_REWRITE_REPAIR_PAGES_H
#define TRACEDAT_REWRITE_REPAIR_PAGES_H

#include "tracedat/rewrite/rewrite.h"

/* Of pages that two CPUs or buffers claim, the first one keeps them. 0 or negative. */
int dat_repair_drop_overlaps(struct dat_rewrite *w);

/* Pages are written as far as they make sense; that overlap others are dropped */
int dat_repair_pages(struct dat_rewrite *w);

#endif
