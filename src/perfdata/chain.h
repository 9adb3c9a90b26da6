/* SPDX-License-Identifier: MIT */
/* chain.h - do records begin here? Several in a row that keep every rule are the proof. */
#ifndef PERFDATA_CHAIN_H
#define PERFDATA_CHAIN_H

#include "perfdata/record_check.h"

/* Records in a row that prove that they are some, and what they can take. */
enum { CHAIN = 3, CHAIN_BYTES = CHAIN * 65536 };

/* simpleperf's own types begin at 32768 */
static inline bool record_may_begin(const struct record_header *h)
{
	return h->size >= RECORD_HEADER_BYTES && h->type != 0 && h->type < 32768 + 64;
}

/* The header at p, of n >= 8 bytes: with the size that the record really has. */
struct record_header record_header_at(const uint8_t *p, uint64_t n, bool swap);

/* A record of a known type of which every rule is kept, so that bytes at random are none. p: as many bytes as h says. */
bool record_is_sound(struct sources *sources, bool swap, const uint8_t *p, const struct record_header *h);

/**
 * chain_begins - whether the n bytes at p begin with records
 * @at_end: how many are a proof if they reach exactly to the end of the n bytes; CHAIN: no fewer
 */
bool chain_begins(struct sources *sources, bool swap, const uint8_t *p, uint64_t n, int at_end);

/* For the end of a file: at an odd place one record alone that ends just there is too easily found. */
static inline int chain_at_end(uint64_t place)
{
	return place % 8 ? 2 : 1;
}

#endif
