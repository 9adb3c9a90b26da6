/* SPDX-License-Identifier: MIT */
/* catalog.h - the events that a machine names: those of every kernel, of its PMUs and of tracefs */
#ifndef RECORD_EVENT_CATALOG_H
#define RECORD_EVENT_CATALOG_H

#include <sonde/catalog.h>

#include "record/event/event.h"
#include "record/event/vendor_events.h"

struct catalog {
	struct arena arena;          /* of all texts */
	struct sonde_catalog_event *at;
	size_t n, cap;
	struct event_roots roots;
	struct vendor_events vendor;
	bool try_events, formats;
	struct sonde_error *err;
};

/* Adds the events of all sources, in the order of their kinds. 0 or a negative code. */
int catalog_fill(struct catalog *c);

#endif
