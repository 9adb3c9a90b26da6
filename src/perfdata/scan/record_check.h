/* SPDX-License-Identifier: MIT */
/* record_check.h - is one record what its header and its event say it is? */
#ifndef PERFDATA_SCAN_RECORD_CHECK_H
#define PERFDATA_SCAN_RECORD_CHECK_H

#include "perfdata/format/evlist.h"
#include "perfdata/format/record.h"
#include "perfdata/scan/rules.h"

/**
 * record_check - every rule that one record can break by itself
 * @evlist: the events that are known; without any, ids, trailers and samples are not checked
 * @h: its header, with the size that it really has (record_header_at()), 8 or more; @p: as many bytes
 * @at: its place in the file
 */
void record_check(struct evlist *evlist, const uint8_t *p, const struct record_header *h, bool swap, uint64_t at,
		  struct findings *f);

/* Whether record_check() finds an error: the record contradicts itself. */
bool record_contradicts(struct evlist *evlist, const uint8_t *p, const struct record_header *h, bool swap);

/* The name of a record type; for one without a name a text is put into @text. */
#define RECORD_NAME_BYTES 24
const char *record_name(uint32_t type, char text[RECORD_NAME_BYTES]);

/* Bytes that lie after the record beyond its size. Tracing data follows its record, but simpleperf puts it inside. */
uint64_t record_payload(const uint8_t *p, const struct record_header *h, bool swap);

/* Whether the size is a multiple of 8, or the type one whose writers pad to no boundary. */
bool record_is_aligned(const struct record_header *h);

/* The time of a kernel record; SONDE_NONE if it has none. */
uint64_t record_time(struct evlist *evlist, const uint8_t *p, bool swap);

#endif
