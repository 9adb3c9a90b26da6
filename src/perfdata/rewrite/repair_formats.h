/* SPDX-License-Identifier: MIT */
/* repair_formats.h - formats of tracepoints that a killed recorder had not written. */
#ifndef PERFDATA_REWRITE_REPAIR_FORMATS_H
#define PERFDATA_REWRITE_REPAIR_FORMATS_H

#include "perfdata/rewrite/rewrite.h"

struct lost_formats {
	struct buf blob;             /* of the running kernel, to become TRACING_DATA; empty: none */
	struct u64map dropped;       /* ids of events that are left out */
};

/*
 * Once the events of w->in are known: takes the formats from the running kernel, or leaves the tracepoints out if that
 * was asked for, and says so. 0 or negative; lost_formats_free() in any case.
 */
int lost_formats_mend(struct lost_formats *f, struct rewrite *w);

/* Whether a record is a sample of an event that was left out. */
bool lost_formats_drop(struct lost_formats *f, struct rewrite *w, const struct scanned *s);

void lost_formats_free(struct lost_formats *f);

#endif
