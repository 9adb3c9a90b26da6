/* SPDX-License-Identifier: MIT */
#include "order/count_growth.h"

#include "base/hash.h"

int count_growth_take(struct count_growth *g, const struct sonde_evsel *evsel, int32_t tid, uint64_t id,
		      uint64_t value, uint64_t *growth)
{
	const bool inherits = evsel && evsel->attr && evsel->attr->flags & SONDE_ATTR_INHERIT;
	const uint64_t key = hash_two(id, inherits ? (uint32_t)tid : 0);
	uint32_t i = u64map_get(&g->index, key);

	if (i == U64MAP_NONE) {
		i = (uint32_t)g->last.n;
		if (vec_push(&g->last, 0) < 0 || u64map_set(&g->index, key, i) < 0)
			return -SONDE_NOMEM;
	}
	*growth = value - g->last.at[i];
	g->last.at[i] = value;
	return 0;
}

void count_growth_free(struct count_growth *g)
{
	vec_free(&g->last);
	u64map_free(&g->index);
	*g = (struct count_growth){ 0 };
}
