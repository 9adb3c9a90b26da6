/* SPDX-License-Identifier: MIT */
/* marker_fields.h - the fields of tracepoints as data of markers: a schema for each event, typed as its format says */
#ifndef EXPORT_FIREFOX_MARKER_FIELDS_H
#define EXPORT_FIREFOX_MARKER_FIELDS_H

#include "export/firefox/tables.h"

/* The entry of "markerSchema" for the event of that number. */
void firefox_marker_schema(struct json *j, const struct sonde_profile *p, uint32_t event);

/* Members of a marker's "data": the CPU, and the fields of the record. 0 or -SONDE_NOMEM. */
int firefox_marker_fields(struct json *j, struct firefox_tables *t, const struct sonde_profile_sample *s);

#endif
