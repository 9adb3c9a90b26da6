/* SPDX-License-Identifier: MIT */
/* resync.h - do records begin here? Several in a row that keep every rule are the proof. */
#ifndef PERFDATA_SCAN_RESYNC_H
#define PERFDATA_SCAN_RESYNC_H

#include "perfdata/scan/record_check.h"

/* Records in a row that prove that they are some, and what they can take. */
enum { RESYNC_RECORDS = 3, RESYNC_BYTES = RESYNC_RECORDS * 65536 };

/* simpleperf's own types begin at 32768 */
static inline bool record_may_begin(const struct record_header *h)
{
	return h->size >= RECORD_HEADER_BYTES && h->type != 0 && h->type < 32768 + 64;
}

/* The header at p, of n >= 8 bytes: with the size that the record really has. */
struct record_header record_header_at(const uint8_t *p, uint64_t n, bool swap);

/*
 * A record of a known type that keeps every rule, so that random bytes are none. p: as many bytes as h says.
 */
bool record_is_sound(struct evlist *evlist, bool swap, const uint8_t *p, const struct record_header *h);

/**
 * records_begin - whether the n bytes at p begin with records
 * @at_end: how many are a proof if they reach exactly to the end of the n bytes; RESYNC_RECORDS: no fewer
 */
bool records_begin(struct evlist *evlist, bool swap, const uint8_t *p, uint64_t n, int at_end);

/* For the end of a file: at an odd place one record alone that ends just there is too easily found. */
static inline int resync_at_end(uint64_t place)
{
	return place % 8 ? 2 : 1;
}

#endif
