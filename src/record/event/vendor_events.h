/* SPDX-License-Identifier: MIT */
/*
 * vendor_events.h - the names that a vendor gives to the events of a processor, out of JSON files
 *
 * The files are those of perf's tools (pmu-events) and of Intel's perfmon: arrays of objects with EventName, EventCode,
 * UMask and so on. An event becomes terms of a PMU: "event=0xc4,umask=0x20,period=400009".
 */
#ifndef RECORD_EVENT_VENDOR_EVENTS_H
#define RECORD_EVENT_VENDOR_EVENTS_H

#include "base/arena.h"
#include "base/err.h"

struct vendor_event {
	const char *name;            /* in lower case */
	const char *pmu;             /* as it may be written in an event string, "uncore_cbox"; NULL: a core PMU */
	const char *terms;
	const char *topic, *description, *long_description, *scale_unit;    /* NULL: not told */
	const char *metric_expr, *metric_group, *metric_threshold;         /* metric_expr: it is a metric */
	bool per_pkg, deprecated;
};

struct vendor_events {
	struct arena arena;
	struct vendor_event *at;     /* sorted by name */
	size_t n, cap;
	/* Events that several processors have, out of the folders above the file: a row with ArchStdEvent names one. */
	struct vendor_events *standard;
	bool is_standard;            /* files that are no tables of events are passed over */
};

/**
 * vendor_events_load - add the events of a file, or of all files of a directory whose names end in ".json"
 * Rows without a name are passed over, as are files of other tables. Returns 0 or a negative code.
 */
int vendor_events_load(struct vendor_events *v, const char *path, struct sonde_error *err);

/* The same for the text of a file of that name. Rows with ArchStdEvent are passed over without v->standard. */
int vendor_events_parse(struct vendor_events *v, const char *text, size_t size, const char *name,
			struct sonde_error *err);

/* The first event of that name, whatever the case; those of other PMUs follow it. NULL if there is none. */
const struct vendor_event *vendor_events_find(const struct vendor_events *v, const char *name);

/* The event after e, if it has the same name; else NULL. */
const struct vendor_event *vendor_events_next(const struct vendor_events *v, const struct vendor_event *e);

void vendor_events_free(struct vendor_events *v);

#endif
