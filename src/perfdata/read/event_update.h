/* SPDX-License-Identifier: MIT */
/* event_update.h - what EVENT_UPDATE records say of events: name, unit, scale, CPUs */
#ifndef PERFDATA_READ_EVENT_UPDATE_H
#define PERFDATA_READ_EVENT_UPDATE_H

#include "perfdata/read/perfdata.h"

/* Takes the whole record at @p; -SONDE_NOMEM. */
int perfdata_note_event_update(struct perfdata *f, const uint8_t *p, uint64_t file_offset, struct sonde_error *err);

#endif
