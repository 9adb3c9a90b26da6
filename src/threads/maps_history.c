/* SPDX-License-Identifier: MIT */
#include "threads/maps_history.h"

#include <linux/perf_event.h>

#include "model/event.h"

/* The process whose maps an event may change; false: it changes none. */
static bool find_changed(const struct sonde_event *ev, int32_t *pid)
{
	struct sonde_mmap m;
	struct sonde_task f;

	if (ev->machine_pid)
		return false;
	switch (ev->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (event_mmap(ev, &m) < 0)
			return false;
		*pid = ev->cpumode == CPUMODE_KERNEL ? HISTORY_KERNEL : m.pid;
		return true;
	case PERF_RECORD_FORK:
		if (event_task(ev, &f) < 0)
			return false;
		*pid = f.pid;
		return true;
	case PERF_RECORD_KSYMBOL:
		*pid = HISTORY_KERNEL;
		return true;
	}
	return false;
}

static maps_root root_of(const struct tasks *t, int32_t pid)
{
	return pid == HISTORY_KERNEL ? t->kernel : tasks_maps(t, 0, pid);
}

static int note(struct maps_history *h, int32_t pid, uint64_t time, maps_root root)
{
	const struct maps_moment moment = { pid, (uint32_t)h->list.n, time, root };

	return vec_push(&h->list, moment) < 0 ? -SONDE_NOMEM : 0;
}

int maps_history_apply(struct maps_history *h, struct tasks *t, const struct sonde_event *ev)
{
	int32_t pid;
	bool changes = find_changed(ev, &pid);
	maps_root before = changes ? root_of(t, pid) : NULL, after;
	int r = tasks_apply(t, ev);

	if (r < 0 || !changes)
		return r;
	after = root_of(t, pid);
	return after == before ? 0 : note(h, pid, ev->time == SONDE_NONE ? 0 : ev->time, after);
}

static int by_process(const void *a, const void *b)
{
	const struct maps_moment *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void maps_history_end(struct maps_history *h)
{
	if (h->list.n)
		qsort(h->list.at, h->list.n, sizeof(*h->list.at), by_process);
}

/* How many moments are of processes before @pid, or of @pid and before @time. */
static size_t nr_before(const struct maps_history *h, int32_t pid, uint64_t time)
{
	size_t low = 0, high = h->list.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct maps_moment *m = &h->list.at[middle];

		if (m->pid < pid || (m->pid == pid && m->time < time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct maps_moment *maps_history_between(const struct maps_history *h, int32_t pid, uint64_t first, uint64_t last,
					       size_t *n)
{
	size_t from = nr_before(h, pid, first), to = nr_before(h, pid, last == UINT64_MAX ? last : last + 1);

	if (from && h->list.at[from - 1].pid == pid)
		from--;
	*n = to - from;
	return h->list.at + from;
}

void maps_history_free(struct maps_history *h)
{
	vec_free(&h->list);
}
