/* SPDX-License-Identifier: MIT */
/* event_cgroup.h - events that count for the tasks of one control group */
#ifndef RECORD_EVENT_EVENT_CGROUP_H
#define RECORD_EVENT_EVENT_CGROUP_H

#include "record/event/event.h"

/*
 * The names of a list "a,,b" go to the events one by one, the first to list->at[*next]; an empty name is no control
 * group. *next counts on. If one name alone has ever been given, it is for all events.
 */
int event_cgroups_add(struct events *list, const char *names, size_t *next, struct sonde_error *err);

/* All events once for each control group of a list "a,b". */
int event_cgroups_expand(struct events *list, const char *names, struct sonde_error *err);

#endif
