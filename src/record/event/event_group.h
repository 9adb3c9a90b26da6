/* SPDX-License-Identifier: MIT */
/* event_group.h - the groups that the kernel can schedule: all hardware events of a group are of one PMU */
#ifndef RECORD_EVENT_EVENT_GROUP_H
#define RECORD_EVENT_EVENT_GROUP_H

#include "record/event/event.h"

/**
 * event_group_form - make one group, or one of each PMU, of the events from @first on
 * Software events, tracepoints and breakpoints stay with the hardware event before them. A group whose leader writes a
 * trace of its own (intel_pt, arm_spe, ...) stays whole. @name: "" for none. 0 or -SONDE_NOMEM.
 */
int event_group_form(struct events *list, size_t first, const char *name);

#endif
