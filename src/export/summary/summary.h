/* SPDX-License-Identifier: MIT */
/* summary.h - a summary of all records of a trace, as text: fed event by event, then written */
#ifndef EXPORT_SUMMARY_SUMMARY_H
#define EXPORT_SUMMARY_SUMMARY_H

#include <sonde/event.h>

#include "base/buf.h"

/* The first member of each kind of summary. */
struct summary {
	int (*event)(struct summary *s, const struct sonde_event *ev);  /* 0 or -SONDE_NOMEM */
	int (*put)(struct summary *s, struct buf *out);                 /* 0 or -SONDE_NOMEM */
	void (*free)(struct summary *s);
};

#endif
