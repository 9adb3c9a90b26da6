/* SPDX-License-Identifier: MIT */
/* load.h - what a record says of itself: whose it is, when, and where. */
#ifndef PERFDATA_READ_LOAD_H
#define PERFDATA_READ_LOAD_H

#include "perfdata/format/sources.h"

/* Fills an event from the whole record at @p but for its place; ev->reader is sources->reader. */
void record_load(struct sources *sources, const uint8_t *p, bool swap, struct sonde_event *out);

#endif
