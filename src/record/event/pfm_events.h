/* SPDX-License-Identifier: MIT */
/* pfm_events.h - events by the names of libpfm4, which knows those of many processors. */
#ifndef RECORD_EVENT_PFM_EVENTS_H
#define RECORD_EVENT_PFM_EVENTS_H

#include "record/event/event.h"

/**
 * pfm_events_add - add the events of @text as libpfm4 encodes them: "UOPS_ISSUED:ANY:c=1,{INST_RETIRED,L2_RQSTS:MISS}"
 * Returns 0, -SONDE_UNSUPPORTED if the library is not installed, -SONDE_MISSING for an event that it does not know on
 * this processor, -SONDE_USAGE for braces that do not match; then nothing is added.
 */
int pfm_events_add(struct events *list, const char *text, struct sonde_error *err);

#endif
