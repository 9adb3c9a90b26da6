/* SPDX-License-Identifier: MIT */
/* count_growth.h - how much each count has grown since it was read last: PERF_SAMPLE_READ has sums */
#ifndef ORDER_COUNT_GROWTH_H
#define ORDER_COUNT_GROWTH_H

#include "base/u64map.h"
#include "model/event.h"

/* {0} is one that has seen no count. */
struct count_growth {
	VEC(uint64_t) last;
	struct u64map index;         /* mixed id and tid -> index in last */
};

/*
 * Takes a value of @evsel that a sample of thread @tid read; *growth: since the value before, of the first one since 0.
 * With inheritance every thread has a count of its own. @evsel: NULL: not known. 0 or -SONDE_NOMEM.
 */
int count_growth_take(struct count_growth *g, const struct sonde_evsel *evsel, int32_t tid, uint64_t id,
		      uint64_t value, uint64_t *growth);

void count_growth_free(struct count_growth *g);

#endif
