/* SPDX-License-Identifier: MIT */
/* stats.h - the number of records of each type, and of samples of each event */
#ifndef EXPORT_SUMMARY_STATS_H
#define EXPORT_SUMMARY_STATS_H

#include "export/summary/summary.h"

/* NULL when out of memory. The evsels of the events live until the end. */
struct summary *summary_stats_new(void);

#endif
