/* SPDX-License-Identifier: MIT */
/* event_term.h - the terms between the slashes of an event, in its attr */
#ifndef RECORD_EVENT_EVENT_TERM_H
#define RECORD_EVENT_EVENT_TERM_H

#include "record/event/event_scan.h"
#include "record/event/vendor_events.h"
#include "record/host/pmu.h"

/* Tracepoints take fewer terms; raw and the generic events take those of other events and, on a PMU, its formats. */
enum term_use { USE_TRACEPOINT = 1, USE_OTHER = 2, USE_ALL = 3 };

/* "/terms/" at s->p for the events from @first on, all of one PMU or of none; then modifiers. */
int event_terms(struct event_scan *s, size_t first, const struct pmu *pmu, enum term_use use);

/* Applies "event=0x3c,umask=1", the text of a named event, to e. @at: the place in s->text that a message names. */
int event_terms_apply(struct event_scan *s, struct event *e, const struct pmu *pmu, const char *text, const char *at);

/* Makes e the event that the PMU has by this name: 1, 0 if it has none, or negative. */
int event_alias(struct event_scan *s, struct event *e, const struct pmu *pmu, const char *name, const char *at);

/* Makes e the event that a file of events names so; its scale, too. 0 or negative. */
int event_vendor(struct event_scan *s, struct event *e, const struct pmu *pmu, const struct vendor_event *vendor,
		 const char *at);

/*
 * The upper half of the config of a generic event of one kind of CPU: the number of its core PMU where there are
 * several, else 0.
 */
uint64_t event_kind_of_cpu(struct event_scan *s, const struct pmu *pmu);

#endif
