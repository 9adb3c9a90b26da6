/* SPDX-License-Identifier: MIT */
/* event_list.h - events are added to the list that a text is parsed into */
#ifndef RECORD_EVENT_EVENT_LIST_H
#define RECORD_EVENT_EVENT_LIST_H

#include "record/event/event_scan.h"

struct event event_blank(uint32_t type, uint64_t config);

/* Adds a copy of @proto; an empty name is replaced by event_list_name(). The list owns its CPUs, also on failure. */
int event_list_add(struct event_scan *s, const struct event *proto, const char *name);

/* The events from @first on that have no name are named by the text from @start on. */
int event_list_name(struct event_scan *s, size_t first, const char *start);

#endif
