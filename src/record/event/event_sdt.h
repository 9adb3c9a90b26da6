/* SPDX-License-Identifier: MIT */
/* event_sdt.h - events at the static probes of a file: sdt:FILE:PROVIDER:NAME */
#ifndef RECORD_EVENT_EVENT_SDT_H
#define RECORD_EVENT_EVENT_SDT_H

#include "record/event/event_scan.h"

/* With s->p after "sdt:". A probe that the compiler has put into several places is an event for each of them. */
int event_sdt(struct event_scan *s, const char *start);

#endif
