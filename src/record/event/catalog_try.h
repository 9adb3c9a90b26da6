/* SPDX-License-Identifier: MIT */
/* catalog_try.h - whether this machine can count an event now, and why not */
#ifndef RECORD_EVENT_CATALOG_TRY_H
#define RECORD_EVENT_CATALOG_TRY_H

#include "record/event/event.h"

/* Opens the event for this task and closes it. NULL, or the reason for which it cannot be opened; a static text. */
const char *catalog_try(const struct event_roots *roots, uint32_t type, uint64_t config);

/* The reason for which no hardware event can be counted by what sysfs says; NULL: there is a core PMU. */
const char *catalog_no_hardware(const struct event_roots *roots);

#endif
