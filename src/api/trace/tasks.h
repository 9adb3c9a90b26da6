/* SPDX-License-Identifier: MIT */
/* tasks.h - the public handle of tasks */
#ifndef API_TRACE_TASKS_H
#define API_TRACE_TASKS_H

#include <sonde/symbol.h>

#include "threads/tasks.h"

struct sonde_tasks {
	struct sonde_trace *trace;
	struct tasks tasks;
	struct sonde_event last;     /* the last event that was applied, without its record */
};

#endif
