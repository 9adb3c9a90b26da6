/* SPDX-License-Identifier: MIT */
/* catalog_pmu.h - the events that PMUs name in sysfs */
#ifndef RECORD_EVENT_CATALOG_PMU_H
#define RECORD_EVENT_CATALOG_PMU_H

#include "record/event/catalog.h"

/* Adds them sorted by PMU and name; equal pieces of an uncore unit once. 0 or -SONDE_NOMEM. */
int catalog_pmu_events(struct catalog *c);

#endif
