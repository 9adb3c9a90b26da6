/* SPDX-License-Identifier: MIT */
/*
 * spread.h - how values are spread: their number, sum, smallest, largest and percentiles
 *
 *	spread_add(), spread_merge()  --->  struct spread  --->  spread_percentile()
 *
 * Up to SPREAD_EXACT_MOST values are kept as they are, so that percentiles of small sets are values that occurred.
 * More are counted in buckets, of which each power of two has 128: a percentile is then off by at most 0.4 percent of
 * itself, and memory is bounded by the range of the values, not by their number. Number, sum, smallest and largest are
 * exact. Percentiles are nearest ranks: the smallest value that is not exceeded by so many percent of the values.
 * Spreads can be merged, in any order, with the same result.
 */
#ifndef INSIGHT_BASE_SPREAD_H
#define INSIGHT_BASE_SPREAD_H

#include <stdint.h>

#include "base/vec.h"

enum {
	SPREAD_EXACT_MOST = 1000,
	SPREAD_SUB_BITS = 7,         /* buckets of a power of two, as bits */
	SPREAD_OCTAVES = 64 - SPREAD_SUB_BITS,
};

/* Begins as {0}. */
struct spread {
	uint64_t n, sum, smallest, largest;
	VEC(uint64_t) exact;         /* empty as soon as values are counted */
	uint64_t **octaves;          /* SPREAD_OCTAVES of buckets; NULL: values are kept, or an octave has none */
};

/* 0 or -SONDE_NOMEM. */
int spread_add(struct spread *s, uint64_t value);
int spread_merge(struct spread *s, const struct spread *from);

void spread_free(struct spread *s);

/* @percent: 1 to 100; 0 if there is no value. Sorts the values that are kept. */
uint64_t spread_percentile(struct spread *s, unsigned percent);

#endif
