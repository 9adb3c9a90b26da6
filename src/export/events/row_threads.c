/* SPDX-License-Identifier: MIT */
#include "export/events/row_threads.h"

static bool is_same(const struct row_thread *a, const struct row_thread *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->space == b->space && a->comm == b->comm;
}

static uint32_t find(struct row_threads *t, const struct row_thread *key)
{
	uint64_t hash = hash_two(hash_index_seed(&t->index) ^ ((uint64_t)(uint32_t)key->pid << 32 | (uint32_t)key->tid),
				 (uintptr_t)key->comm ^ (uint64_t)key->space << 32);
	uint32_t i;

	hash_index_each(&t->index, hash, i)
		if (is_same(&t->list.at[i], key))
			return i + 1;
	i = (uint32_t)t->list.n;
	if (vec_push(&t->list, *key) < 0 || hash_index_add(&t->index, hash, i) < 0 ||
	    u64map_set(&t->by_tid, (uint64_t)key->space << 32 | (uint32_t)key->tid, i + 1) < 0)
		return UINT32_MAX;
	return i + 1;
}

uint32_t row_threads_of(struct row_threads *t, const struct event_row *row)
{
	const struct row_thread key = { row->space, row->ev->machine_pid, row->ev->pid, row->ev->tid, row->comm,
					SONDE_NONE, SONDE_NONE };
	struct row_thread *known;

	if (key.tid < 0 && key.pid < 0)
		return 0;
	if (!t->recent || !is_same(&t->list.at[t->recent - 1], &key))
		t->recent = find(t, &key);
	if (t->recent == UINT32_MAX) {
		t->recent = 0;
		return UINT32_MAX;
	}
	known = &t->list.at[t->recent - 1];
	if (row->time != SONDE_NONE) {
		known->first = known->first == SONDE_NONE ? row->time : known->first;
		known->last = row->time;
	}
	return t->recent;
}

uint32_t row_threads_task(struct row_threads *t, const struct event_row *row, int32_t tid, const char *comm)
{
	const uint32_t number = u64map_get(&t->by_tid, (uint64_t)row->space << 32 | (uint32_t)tid);
	const struct row_thread key = { row->space, row->ev->machine_pid, -1, tid, *comm ? comm : NULL,
					SONDE_NONE, SONDE_NONE };

	return number == U64MAP_NONE ? find(t, &key) : number;
}

void row_threads_free(struct row_threads *t)
{
	u64map_free(&t->by_tid);
	vec_free(&t->list);
	hash_index_free(&t->index);
}
