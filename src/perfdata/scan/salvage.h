/* SPDX-License-Identifier: MIT */
/* salvage.h - guesses that prove themselves, where a header or the events of a file are lost */
#ifndef PERFDATA_SCAN_SALVAGE_H
#define PERFDATA_SCAN_SALVAGE_H

#include "perfdata/scan/layout.h"

/*
 * The layout of a file whose header says nothing that can be used. Sets header.swap, header.pipe, data and the events;
 * what is not there stays empty. Negative only when memory is short.
 */
int salvage_layout(struct layout *l, struct image *im);

/* Events out of the records at hand (HEADER_ATTR) or out of a payload of EVENT_DESC anywhere in the file. */
int salvage_events(struct layout *l);

/* Ids for events that have none: those of ID_INDEX records, in the order of the events, and of EVENT_UPDATE records. */
int salvage_ids(struct layout *l);

/* How many of the first records are sound: tells which of two guesses is right. */
uint64_t salvage_score(struct layout *l);

#endif
