/* SPDX-License-Identifier: MIT */
/* event.h - the memory for the content of events that a program asks for; one for each trace */
#ifndef API_TRACE_EVENT_H
#define API_TRACE_EVENT_H

struct event_views;

/* NULL when out of memory. */
struct event_views *event_views_new(void);
void event_views_free(struct event_views *v);

#endif
