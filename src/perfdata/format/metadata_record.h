/* SPDX-License-Identifier: MIT */
/* metadata_record.h - records that say what sections say in a file: HEADER_ATTR, HEADER_FEATURE, HEADER_TRACING_DATA */
#ifndef PERFDATA_FORMAT_METADATA_RECORD_H
#define PERFDATA_FORMAT_METADATA_RECORD_H

#include "perfdata/format/header.h"
#include "perfdata/format/record.h"

/**
 * attr_record_decode - the attr of the HEADER_ATTR at @p, a whole record
 * @ids: then stands at its ids, which go on to the end of the record; its err is the caller's
 * @bytes: of the attr
 * Returns 0, -SONDE_TRUNCATED or -SONDE_CORRUPT.
 */
int attr_record_decode(const uint8_t *p, const struct record_header *h, uint64_t at, struct sonde_attr *attr,
		       uint64_t *bytes, struct cursor *ids);

/* A feature that a record has; its bytes lie in the record, or in the payload after it. */
struct feature_record {
	uint64_t id;
	struct section payload;      /* from the start of the record; of no bytes: there is none */
};

/*
 * The feature of a HEADER_FEATURE. The last of them has no payload, and the number of the first feature that its writer
 * did not know, which can be one that we know.
 */
struct feature_record feature_record_decode(const uint8_t *p, const struct record_header *h, bool swap);

/*
 * The tracing data of a HEADER_TRACING_DATA, with @payload bytes after it. simpleperf puts the data into the record.
 */
struct feature_record tracing_record_decode(const uint8_t *p, const struct record_header *h, uint64_t payload,
					    bool swap);

#endif
