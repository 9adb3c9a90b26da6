/* SPDX-License-Identifier: MIT */
#include "export/events/thread_counts.h"

#include "base/hash.h"
#include "export/events/values.h"

struct taker {
	struct thread_counts *t;
	const struct event_row *row;
	thread_count_fn fn;
	void *ctx;
};

/* UINT32_MAX when out of memory. */
static uint32_t number_of(struct thread_counts *t, const struct event_row *row, const struct sonde_evsel *evsel)
{
	uint64_t key = hash_two(hash_two(row->space, (uint32_t)row->ev->tid), (uintptr_t)evsel);
	uint32_t number = u64map_get(&t->number_of, key);

	if (number != U64MAP_NONE)
		return number;
	number = (uint32_t)t->sums.n;
	return vec_push(&t->sums, 0) < 0 || u64map_set(&t->number_of, key, number) < 0 ? UINT32_MAX : number;
}

static int take_value(void *ctx, const struct event_value *v)
{
	const struct taker *k = ctx;
	size_t known = k->t->sums.n;
	struct thread_count c = { .row = k->row, .evsel = v->evsel };
	uint64_t growth, id;

	if (!v->evsel)
		return 0;
	id = hash_two(k->row->input, v->count_id);   /* traces have ids of their own */
	c.number = number_of(k->t, k->row, v->evsel);
	if (c.number == UINT32_MAX ||
	    count_growth_take(&k->t->growth, v->evsel, k->row->ev->tid, id, v->u, &growth) < 0)
		return -SONDE_NOMEM;
	c.is_first = c.number == known;
	k->t->sums.at[c.number] += growth <= INT64_MAX ? growth : 0;     /* a count that shrinks is damaged */
	c.sum = k->t->sums.at[c.number];
	return k->fn(k->ctx, &c);
}

int thread_counts_take(struct thread_counts *t, const struct event_row *row, thread_count_fn fn, void *ctx)
{
	struct taker k = { t, row, fn, ctx };

	return row->evsel_of_id ? event_values(row, take_value, &k) : 0;
}

void thread_counts_free(struct thread_counts *t)
{
	count_growth_free(&t->growth);
	vec_free(&t->sums);
	u64map_free(&t->number_of);
}
