/* SPDX-License-Identifier: MIT */
/* event_near.h - the event that a misspelt name probably means */
#ifndef RECORD_PERF_EVENT_NEAR_H
#define RECORD_PERF_EVENT_NEAR_H

#include <stddef.h>

/**
 * event_near - "sched:sched_switch" for "sched_switch", "cycles" for "cycels", "sched:*" for "sched"
 * @tracefs: NULL if it is not mounted
 * @system: what stood before a colon; NULL if there was none
 * Returns @out, or NULL if nothing is near.
 */
const char *event_near(const char *tracefs, const char *system, const char *name, char *out, size_t size);

#endif
