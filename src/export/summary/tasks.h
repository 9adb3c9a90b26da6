/* SPDX-License-Identifier: MIT */
/* tasks.h - the tree of the host's processes and threads */
#ifndef EXPORT_SUMMARY_TASKS_H
#define EXPORT_SUMMARY_TASKS_H

#include "export/summary/summary.h"

/* @maps: with the mappings of each process. NULL when out of memory. The evsels of the events live until the end. */
struct summary *summary_tasks_new(bool maps);

#endif
