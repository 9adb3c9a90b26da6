/* SPDX-License-Identifier: MIT */
/* threads.h - the final counts of threads: READ records of a recording with --stat */
#ifndef EXPORT_SUMMARY_THREADS_H
#define EXPORT_SUMMARY_THREADS_H

#include "export/summary/summary.h"

/* NULL when out of memory. The evsels of the events live until the end. */
struct summary *summary_threads_new(void);

#endif
