/* SPDX-License-Identifier: MIT */
/*
 * swapper.h - numbers that change their byte order where they are
 *
 * After the first number that is not there nothing more is swapped.
 */
#ifndef PERFDATA_REWRITE_SWAPPER_H
#define PERFDATA_REWRITE_SWAPPER_H

#include "base/bytes.h"

struct swapper {
	uint8_t *p, *end;            /* bytes that have not been swapped yet */
	bool swap;                   /* the order it had is not the host's */
	bool failed;
	uint32_t nr_cpus;            /* as the feature NRCPUS says: others have an entry for each */
};

static inline size_t swap_left(const struct swapper *s)
{
	return (size_t)(s->end - s->p);
}

static inline uint8_t *swap_skip(struct swapper *s, uint64_t n)
{
	uint8_t *p = s->p;

	if (s->failed || n > swap_left(s)) {
		s->failed = true;
		return NULL;
	}
	s->p += n;
	return p;
}

/* A number of 2, 4 or 8 bytes; returns its value, 0 when it is not there. */
static inline uint64_t swap_number(struct swapper *s, size_t bytes)
{
	uint8_t *p = swap_skip(s, bytes);
	uint64_t v;

	if (!p)
		return 0;
	switch (bytes) {
	case 2:
		v = load_u16(p, s->swap);
		store_u16(p, (uint16_t)v, !s->swap);
		return v;
	case 4:
		v = load_u32(p, s->swap);
		store_u32(p, (uint32_t)v, !s->swap);
		return v;
	default:
		v = load_u64(p, s->swap);
		store_u64(p, v, !s->swap);
		return v;
	}
}

static inline uint16_t swap_u16(struct swapper *s)
{
	return (uint16_t)swap_number(s, 2);
}

static inline uint32_t swap_u32(struct swapper *s)
{
	return (uint32_t)swap_number(s, 4);
}

static inline uint64_t swap_u64(struct swapper *s)
{
	return swap_number(s, 8);
}

static inline void swap_u64s(struct swapper *s)
{
	while (swap_left(s) >= 8)
		swap_u64(s);
}

/* An attr of @n bytes, 64 or more. Returns NULL, or in a few words the part that could not be swapped. */
const char *swap_attr(uint8_t *p, size_t n, bool swap);

#endif
