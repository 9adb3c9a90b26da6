/* SPDX-License-Identifier: MIT */
/* record_body.h - the body of a record as the struct that the API has for it */
#ifndef PERFDATA_FORMAT_RECORD_BODY_H
#define PERFDATA_FORMAT_RECORD_BODY_H

#include "perfdata/format/record.h"

/* A record and what is needed to look into it. `size` is without the trailer. */
struct record {
	const uint8_t *p;
	size_t size;
	uint32_t type;
	uint16_t misc;
	bool swap;
};

/* Decodes into the public struct of the body; 0, -SONDE_USAGE (another type), -SONDE_CORRUPT. */
int record_body(const struct record *rec, enum event_body body, void *out);

#endif
