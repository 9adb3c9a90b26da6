/* SPDX-License-Identifier: MIT */
/* stats.h - how many records of each type and how many samples of each event a trace has */
#ifndef EXPORT_SUMMARY_STATS_H
#define EXPORT_SUMMARY_STATS_H

#include "export/summary/summary.h"

/* NULL when out of memory. The evsels of the events live until the end. */
struct summary *summary_stats_new(void);

#endif
