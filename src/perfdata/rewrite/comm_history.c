/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/comm_history.h"

#include <stdlib.h>
#include <string.h>

#include "base/u64map.h"

static int add(struct comm_history *h, struct comm_change c)
{
	c.order = (uint32_t)h->changes.n;
	if (c.time == SONDE_NONE)
		c.time = 0;
	return h->changes.n < UINT32_MAX ? vec_push(&h->changes, c) : -SONDE_NOMEM;
}

int comm_history_comm(struct comm_history *h, uint64_t thread, uint64_t time, struct sonde_str comm)
{
	uint32_t name = strpool_add(&h->names, comm.p, comm.len);

	if (name == UINT32_MAX)
		return -SONDE_NOMEM;
	return add(h, (struct comm_change){ .time = time, .thread = thread, .parent = NO_THREAD, .comm = name });
}

int comm_history_fork(struct comm_history *h, uint64_t thread, uint64_t parent, uint64_t time)
{
	return add(h, (struct comm_change){ .time = time, .thread = thread, .parent = parent });
}

static int by_time(const void *a, const void *b)
{
	const struct comm_change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_thread(const void *a, const void *b)
{
	const struct comm_change *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return by_time(a, b);
}

int comm_history_settle(struct comm_history *h)
{
	struct u64map now = { 0 };   /* thread -> number of its name */
	int r = 0;

	if (comm_history_comm(h, 0, 0, (struct sonde_str){ "swapper", 7 }) < 0)  /* the idle task: no record names it */
		return -SONDE_NOMEM;
	h->changes.at[h->changes.n - 1].order = 0;
	qsort(h->changes.at, h->changes.n, sizeof(*h->changes.at), by_time);
	for (size_t i = 0; r == 0 && i < h->changes.n; i++) {
		struct comm_change *c = &h->changes.at[i];

		if (c->parent != NO_THREAD) {
			uint32_t name = u64map_get(&now, c->parent);

			c->comm = name == U64MAP_NONE ? 0 : name;
		}
		r = u64map_set(&now, c->thread, c->comm);
	}
	u64map_free(&now);
	qsort(h->changes.at, h->changes.n, sizeof(*h->changes.at), by_thread);
	return r;
}

const char *comm_history_at(const struct comm_history *h, uint64_t thread, uint64_t time)
{
	size_t low = 0, high = h->changes.n;

	while (low < high) {  /* the first that is too late, or of a later thread */
		size_t mid = low + (high - low) / 2;
		const struct comm_change *c = &h->changes.at[mid];

		if (c->thread < thread || (c->thread == thread && c->time <= time))
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || h->changes.at[low - 1].thread != thread || h->changes.at[low - 1].comm == 0)
		return NULL;
	return strpool_get(&h->names, h->changes.at[low - 1].comm);
}

void comm_history_free(struct comm_history *h)
{
	strpool_free(&h->names);
	vec_free(&h->changes);
}
