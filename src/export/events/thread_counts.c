/* SPDX-License-Identifier: MIT */
#include "export/events/thread_counts.h"

#include "base/hash.h"

/* UINT32_MAX when out of memory. */
static uint32_t number_of(struct thread_counts *t, const struct event_row *row)
{
	uint64_t key = hash_two(hash_two(row->space, (uint32_t)row->ev->tid), (uintptr_t)row->ev->evsel);
	uint32_t number = u64map_get(&t->number_of, key);

	if (number != U64MAP_NONE)
		return number;
	number = (uint32_t)t->sums.n;
	return vec_push(&t->sums, 0) < 0 || u64map_set(&t->number_of, key, number) < 0 ? UINT32_MAX : number;
}

int thread_counts_take(struct thread_counts *t, const struct event_row *row, struct thread_count *out)
{
	const size_t known = t->sums.n;
	const uint64_t growth = row->ev->period;

	if (!row->is_sample || !event_of(row->ev)->read_by)
		return 0;
	*out = (struct thread_count){ .row = row, .number = number_of(t, row) };
	if (out->number == UINT32_MAX)
		return -SONDE_NOMEM;
	out->is_first = out->number == known;
	t->sums.at[out->number] += growth <= INT64_MAX ? growth : 0;     /* a count that shrinks is damaged */
	out->sum = t->sums.at[out->number];
	return 1;
}

void thread_counts_free(struct thread_counts *t)
{
	vec_free(&t->sums);
	u64map_free(&t->number_of);
}
