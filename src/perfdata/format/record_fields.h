/* SPDX-License-Identifier: MIT */
/* record_fields.h - see sonde_event_fields(). */
#include "perfdata/format/record_body.h"

#ifndef PERFDATA_FORMAT_RECORD_FIELDS_H
#define PERFDATA_FORMAT_RECORD_FIELDS_H


/* attr: of the event that the record belongs to, NULL if that is not known. */
int record_fields(const struct record *rec, const struct sonde_attr *attr, sonde_field_fn fn, void *ctx);

#endif
