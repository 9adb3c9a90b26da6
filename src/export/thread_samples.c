/* SPDX-License-Identifier: MIT */
#include "export/thread_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/u64map.h"

#define NO_RUN UINT32_MAX

/* Numbers the runs of wanted cells, and counts their samples. 0 or -SONDE_NOMEM. */
static int find_runs(struct thread_samples *t, const struct export *x, uint32_t *run_of_cell)
{
	const struct sonde_profile *p = x->profile;
	struct u64map known = { 0 };
	int r = 0;

	for (uint32_t e = 0; e < p->events.n && r == 0; e++) {
		size_t n;
		const uint32_t *cells = event_cells_of(&x->cells, e, &n);

		for (size_t i = 0; export_wants_event(x, e) && i < n && r == 0; i++) {
			uint32_t task = p->cells.at[cells[i]].task;
			uint32_t run = u64map_get(&known, (uint64_t)e << 32 | task);

			if (run == U64MAP_NONE) {
				run = (uint32_t)t->runs.n;
				if (vec_push(&t->runs, ((struct sampled_thread){ .event = e, .task = task })) < 0 ||
				    u64map_set(&known, (uint64_t)e << 32 | task, run) < 0)
					r = -SONDE_NOMEM;
			}
			run_of_cell[cells[i]] = run;
		}
	}
	u64map_free(&known);
	return r;
}

/* The number of a run is in `first` while they are sorted. */
static int compare_runs(const void *va, const void *vb)
{
	const struct sampled_thread *a = va, *b = vb;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* Gives each run its place; `moved` is the new number of each run. */
static void sort_runs(struct thread_samples *t, uint32_t *moved)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < t->runs.n; i++)
		t->runs.at[i].first = i;
	qsort(t->runs.at, t->runs.n, sizeof(*t->runs.at), compare_runs);
	for (uint32_t i = 0; i < t->runs.n; i++) {
		moved[t->runs.at[i].first] = i;
		t->runs.at[i].first = at;
		at += t->runs.at[i].n;
		t->runs.at[i].n = 0;
	}
}

static int place_samples(struct thread_samples *t, const struct sonde_profile *p, const uint32_t *run_of_cell)
{
	uint32_t *moved;

	for (size_t i = 0; i < p->timed.list.n; i++) {
		uint32_t run = run_of_cell[p->timed.list.at[i].cell];

		if (run != NO_RUN)
			t->runs.at[run].n++;
	}
	moved = malloc((t->runs.n + 1) * sizeof(*moved));
	if (!moved)
		return -SONDE_NOMEM;
	if (t->runs.n)
		sort_runs(t, moved);
	for (uint32_t i = 0; i < p->timed.list.n; i++) {
		uint32_t number = run_of_cell[p->timed.list.at[i].cell];
		struct sampled_thread *run = number == NO_RUN ? NULL : &t->runs.at[moved[number]];

		if (run)
			t->order[run->first + run->n++] = i;
	}
	free(moved);
	return 0;
}

int thread_samples_make(struct thread_samples *t, const struct export *x)
{
	const struct sonde_profile *p = x->profile;
	uint32_t *run_of_cell = malloc((p->cells.n + 1) * sizeof(*run_of_cell));
	int r = -SONDE_NOMEM;

	*t = (struct thread_samples){ .order = malloc((p->timed.list.n + 1) * sizeof(*t->order)) };
	if (run_of_cell && t->order && p->timed.list.n < UINT32_MAX) {
		memset(run_of_cell, 0xff, (p->cells.n + 1) * sizeof(*run_of_cell));
		r = find_runs(t, x, run_of_cell);
	}
	if (r == 0)
		r = place_samples(t, p, run_of_cell);
	if (p->timed.list.n && p->timed.list.at[0].time != SONDE_NONE)
		t->zero = p->timed.list.at[0].time;
	free(run_of_cell);
	return r;
}

void thread_samples_free(struct thread_samples *t)
{
	free(t->order);
	vec_free(&t->runs);
}
