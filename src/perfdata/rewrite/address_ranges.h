/* SPDX-License-Identifier: MIT */
/* address_ranges.h - which addresses anything was ever mapped at, whatever the process */
#ifndef PERFDATA_REWRITE_ADDRESS_RANGES_H
#define PERFDATA_REWRITE_ADDRESS_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct range {
	uint64_t start, last;        /* last: the end can be 2^64 */
};

struct ranges {
	VEC(struct range) list;
	size_t nr_sorted;            /* the first so many are sorted, and touch no other one */
};

/* 0 or -SONDE_NOMEM. Nothing is added for a length of 0. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t len);

/* After the last one was added. */
void ranges_sort(struct ranges *r);
bool ranges_have(const struct ranges *r, uint64_t addr);

void ranges_free(struct ranges *r);

#endif
