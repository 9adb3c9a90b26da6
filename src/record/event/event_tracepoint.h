/* SPDX-License-Identifier: MIT */
/* event_tracepoint.h - tracepoints by name and by wildcard, as tracefs lists them */
#ifndef RECORD_EVENT_EVENT_TRACEPOINT_H
#define RECORD_EVENT_EVENT_TRACEPOINT_H

#include "record/event/event_scan.h"

/* SYSTEM:NAME, both taken already; what follows is at s->p. @at: where the event begins in s->text. */
int event_tracepoint(struct event_scan *s, const char *at, const char *system, const char *name);

/* "no such event; did you mean '...'?" @system: NULL if there was only one word */
int event_unknown(const struct event_scan *s, const char *at, const char *system, const char *name);

#endif
