/* SPDX-License-Identifier: MIT */
#include "insight/base/spread.h"

#include <stdlib.h>

#include <sonde/types.h>

enum { BUCKETS = 1 << SPREAD_SUB_BITS };

/* Values below 2 * BUCKETS have a bucket each, in the first two octaves; from there on the width doubles. */
static unsigned octave_of(uint64_t value)
{
	return value < BUCKETS ? 0 : 64 - (unsigned)__builtin_clzll(value) - SPREAD_SUB_BITS;
}

static unsigned shift_of(unsigned octave)
{
	return octave ? octave - 1 : 0;
}

static unsigned bucket_of(uint64_t value, unsigned octave)
{
	return (unsigned)(value >> shift_of(octave)) % BUCKETS;
}

/* The middle of a bucket. */
static uint64_t value_of(unsigned octave, unsigned bucket)
{
	const unsigned shift = shift_of(octave);
	const uint64_t first = ((octave ? (uint64_t)BUCKETS : 0) + bucket) << shift;

	return first + (shift ? UINT64_C(1) << (shift - 1) : 0);
}

static int count(struct spread *s, uint64_t value, uint64_t n)
{
	const unsigned octave = octave_of(value);

	if (!s->octaves[octave])
		s->octaves[octave] = calloc(BUCKETS, sizeof(**s->octaves));
	if (!s->octaves[octave])
		return -SONDE_NOMEM;
	s->octaves[octave][bucket_of(value, octave)] += n;
	return 0;
}

static int begin_counting(struct spread *s)
{
	s->octaves = calloc(SPREAD_OCTAVES + 1, sizeof(*s->octaves));
	if (!s->octaves)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < s->exact.n; i++)
		if (count(s, s->exact.at[i], 1) < 0)
			return -SONDE_NOMEM;
	vec_free(&s->exact);
	return 0;
}

static int keep(struct spread *s, uint64_t value)
{
	if (!s->octaves && s->exact.n < SPREAD_EXACT_MOST)
		return vec_push(&s->exact, value) < 0 ? -SONDE_NOMEM : 0;
	if (!s->octaves && begin_counting(s) < 0)
		return -SONDE_NOMEM;
	return count(s, value, 1);
}

static void add_sums(struct spread *s, uint64_t n, uint64_t sum, uint64_t smallest, uint64_t largest)
{
	s->smallest = s->n && s->smallest < smallest ? s->smallest : smallest;
	s->largest = s->largest > largest ? s->largest : largest;
	s->n += n;
	s->sum = s->sum + sum < sum ? UINT64_MAX : s->sum + sum;
}

int spread_add(struct spread *s, uint64_t value)
{
	if (keep(s, value) < 0)
		return -SONDE_NOMEM;
	add_sums(s, 1, value, value, value);
	return 0;
}

int spread_merge(struct spread *s, const struct spread *from)
{
	for (size_t i = 0; i < from->exact.n; i++)
		if (keep(s, from->exact.at[i]) < 0)
			return -SONDE_NOMEM;
	if (from->octaves && !s->octaves && begin_counting(s) < 0)
		return -SONDE_NOMEM;
	for (unsigned octave = 0; from->octaves && octave <= SPREAD_OCTAVES; octave++)
		for (unsigned i = 0; from->octaves[octave] && i < BUCKETS; i++)
			if (from->octaves[octave][i] &&
			    count(s, value_of(octave, i), from->octaves[octave][i]) < 0)
				return -SONDE_NOMEM;
	if (from->n)
		add_sums(s, from->n, from->sum, from->smallest, from->largest);
	return 0;
}

void spread_free(struct spread *s)
{
	for (unsigned i = 0; s->octaves && i <= SPREAD_OCTAVES; i++)
		free(s->octaves[i]);
	free(s->octaves);
	vec_free(&s->exact);
	*s = (struct spread){ 0 };
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A bucket may reach beyond the values that are in it. */
static uint64_t within(const struct spread *s, uint64_t value)
{
	return value < s->smallest ? s->smallest : value > s->largest ? s->largest : value;
}

uint64_t spread_percentile(struct spread *s, unsigned percent)
{
	/* percent of a number of values near 2^64 would not fit */
	const uint64_t rank = s->n / 100 * percent + (s->n % 100 * percent + 99) / 100;
	uint64_t seen = 0;

	if (!s->n || rank >= s->n)
		return s->largest;
	if (!s->octaves) {
		qsort(s->exact.at, s->exact.n, sizeof(*s->exact.at), compare);
		return s->exact.at[rank ? rank - 1 : 0];
	}
	for (unsigned octave = 0; octave <= SPREAD_OCTAVES; octave++)
		for (unsigned i = 0; s->octaves[octave] && i < BUCKETS; i++) {
			seen += s->octaves[octave][i];
			if (seen >= rank && s->octaves[octave][i])
				return within(s, value_of(octave, i));
		}
	return s->largest;
}
