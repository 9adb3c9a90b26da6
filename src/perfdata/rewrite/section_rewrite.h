/* SPDX-License-Identifier: MIT */
/*
 * section_rewrite.h - a perf.data with every byte at the place it had, taken apart and put together again, or in the
 * other byte order.
 */
#ifndef PERFDATA_REWRITE_SECTION_REWRITE_H
#define PERFDATA_REWRITE_SECTION_REWRITE_H

#include "perfdata/rewrite/rewrite.h"

/* For a file; w->opts.swap is the order of the output. Its sections must not overlap. Instead of rewrite_run(). */
int rewrite_in_place(struct rewrite *w);

#endif
