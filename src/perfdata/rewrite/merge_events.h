/* SPDX-License-Identifier: MIT */
/* merge_events.h - which events of the inputs are the same, and how each is called in the new file */
#ifndef PERFDATA_REWRITE_MERGE_EVENTS_H
#define PERFDATA_REWRITE_MERGE_EVENTS_H

#include "perfdata/rewrite/merge.h"

/* Fills m->events and what each input has of them; 0 or negative. */
int merge_events(struct merge *m);

#endif
