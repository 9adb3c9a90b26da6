/* SPDX-License-Identifier: MIT */
/* event_near.h - the event that a misspelt name probably means */
#ifndef RECORD_EVENT_EVENT_NEAR_H
#define RECORD_EVENT_EVENT_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "record/event/event.h"

/* The nearest of the names that are tried. */
struct near_search {
	const char *name;
	size_t distance;
	char *out;
	size_t size;
};

struct near_search event_near_begin(const char *name, char *out, size_t size);
void event_near_try(struct near_search *s, const char *candidate);
bool event_near_found(const struct near_search *s);

/* Tries the files of a folder of sysfs: terms and events of a PMU; PMUs. */
void event_near_files(struct near_search *s, const char *dir);

/**
 * event_near - "sched:sched_switch" for "sched_switch", "cycles" for "cycels", "sched:*" for "sched"
 * @system: what stood before a colon; NULL if there was none
 * Returns @out, or NULL if nothing is near.
 */
const char *event_near(const struct event_roots *roots, const char *system, const char *name, char *out, size_t size);

#endif
