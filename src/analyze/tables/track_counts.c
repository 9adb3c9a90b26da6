/* SPDX-License-Identifier: MIT */
#include "analyze/tables/track_counts.h"

#include <string.h>

int track_counts_take(struct track_counts *c, const struct sonde_event *ev, uint32_t thread, struct strpool *texts)
{
	struct track_count count = { .time = ev->time, .growth = ev->period, .thread = thread, .cpu = ev->cpu };

	if (count.growth > INT64_MAX)   /* a count that shrinks is damaged */
		return 0;
	if (c->nr++ >= TRACK_COUNTS_MOST)
		return 0;
	count.event = strpool_add(texts, ev->evsel->name, strlen(ev->evsel->name));
	return count.event == UINT32_MAX ? -SONDE_NOMEM : vec_push(&c->list, count);
}

void track_counts_free(struct track_counts *c)
{
	vec_free(&c->list);
}
