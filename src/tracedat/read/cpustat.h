/* SPDX-License-Identifier: MIT */
/* cpustat.h - option CPUSTAT: what the kernel counted for each CPU of a buffer, in the text of
 * its per_cpu/cpuN/stats */
#ifndef TRACEDAT_READ_CPUSTAT_H
#define TRACEDAT_READ_CPUSTAT_H

#include "tracedat/read/tracedat.h"

/* The same loss, whether the statistics tell of it or the page after it. */
#define CPUSTAT_OVERRUN "events lost because the ring buffer was full (a larger -b helps)"

/* Takes one option in: texts of all of them are one, in which a CPU belongs to the buffer named last. */
int dat_cpustat_take(struct tracedat *f, struct cursor *c);

/* Events that the ledger has as lost for a CPU before any page was read. False: the file does not say. */
bool dat_cpustat_lost(struct tracedat *f, const struct cpu_extent *r, uint64_t *events);

void dat_cpustat_free(struct cpustats *s);

#endif
