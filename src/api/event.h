/* SPDX-License-Identifier: MIT */
/* event.h - the memory of what the public functions decode from events; one for each trace */
#ifndef API_EVENT_H
#define API_EVENT_H

struct event_views;

/* NULL when out of memory. */
struct event_views *event_views_new(void);
void event_views_free(struct event_views *v);

#endif
