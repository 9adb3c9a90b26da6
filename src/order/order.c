/* SPDX-License-Identifier: MIT */
#include "order/order.h"

#include <stdlib.h>

#include "base/err.h"

/* Loading an event reads these bytes of its record, which has left the near caches. */
#define HEAD_BYTES 56

/* References and their merging take an eighth of the memory, the records a quarter. */
static struct window limits(const struct reader *r, size_t nr_windows)
{
	uint64_t bytes = r->max_memory / 4 / nr_windows, refs = bytes / 2 / (6 * sizeof(struct record_ref));
	struct window w = { .max_refs = ORDER_MAX_REFS / nr_windows, .max_bytes = ORDER_MAX_BYTES / nr_windows };

	if (bytes && bytes < w.max_bytes)
		w.max_bytes = bytes;
	if (bytes && refs < w.max_refs)
		w.max_refs = refs > 64 ? (size_t)refs : 64;
	w.max_held = w.max_bytes * nr_windows / 2 * 3;
	return w;
}

static int start_walks(struct order *o, struct sonde_error *err)
{
	struct reader *r = o->reader;
	struct window empty = limits(r, o->nr_windows);
	int e = 0;

	empty.reader = r;
	for (size_t i = 0; i < o->nr_windows; i++)
		o->windows[i] = empty;
	if (o->sorted)
		return r->ops->walk_new_by_time(r, &o->windows[0].walk, err);
	for (size_t i = 0; e == 0 && i < o->nr_windows; i++)
		e = r->nr_parts > 1 ? r->ops->walk_part(r, (uint32_t)i, &o->windows[i].walk, err) :
				      r->ops->walk_new(r, &o->windows[i].walk, err);
	return e;
}

int order_start(struct order *o, struct reader *r, struct sonde_error *err)
{
	size_t n = r->nr_parts > 1 && !r->ops->walk_new_by_time ? r->nr_parts : 1;
	int e;

	*o = (struct order){ .reader = r, .sorted = r->ops->walk_new_by_time };
	o->windows = calloc(n, sizeof(struct window));
	o->heap = calloc(n, sizeof(struct window *));
	o->nr_windows = o->windows ? n : 0;
	e = o->windows && o->heap ? start_walks(o, err) : err_nomem(err);
	if (e < 0) {
		order_end(o);
		return e;
	}
	o->filling = o->windows;
	o->unfilled = o->windows + 1;
	return 0;
}

int order_narrow(struct order *o, uint64_t min, uint64_t max, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; i < o->nr_windows && r == 0 && o->reader->ops->walk_narrow; i++)
		r = o->reader->ops->walk_narrow(o->windows[i].walk, min, max, err);
	return r;
}

uint64_t order_passed(const struct order *o)
{
	uint64_t n = 0;

	for (size_t i = 0; i < o->nr_windows; i++)
		n += o->reader->ops->walk_passed(o->windows[i].walk);
	return n;
}

static void unpin_run(struct order *o)
{
	o->reader->ops->unpin(o->reader, o->run, o->nr_run);
	o->nr_run = 0;
}

void order_end(struct order *o)
{
	if (o->nr_run)
		unpin_run(o);
	for (size_t i = 0; i < o->nr_windows; i++)
		window_end(&o->windows[i]);
	free(o->windows);
	free(o->heap);
	*o = (struct order){ 0 };
}

/* Equal times: the first part comes first. */
static bool is_older(const struct window *a, const struct window *b)
{
	uint64_t x = a->ready.at[a->out].time, y = b->ready.at[b->out].time;

	return x < y || (x == y && a < b);
}

static void heap_sink(struct order *o)
{
	struct window *w = o->heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < o->nr_heap) {
		if (child + 1 < o->nr_heap && is_older(o->heap[child + 1], o->heap[child]))
			child++;
		if (!is_older(o->heap[child], w))
			break;
		o->heap[at] = o->heap[child];
		at = child;
	}
	o->heap[at] = w;
}

static void heap_add(struct order *o, struct window *w)
{
	size_t at = o->nr_heap++;

	for (; at > 0 && is_older(w, o->heap[(at - 1) / 2]); at = (at - 1) / 2)
		o->heap[at] = o->heap[(at - 1) / 2];
	o->heap[at] = w;
}

static void note_late(struct order *o, uint64_t time)
{
	ledger_add(&o->reader->ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, time, -1,
		   "{event|events} came later than {its|their} time: the recorder's round marks were wrong, or there "
		   "are none");
}

/* A window that has nothing ready any more leaves the heap, to be filled. */
static void pass_over(struct order *o, struct window *w, size_t n, struct sonde_error *err)
{
	size_t looks = w->out / WINDOW_LOOK_EVERY;

	w->out += n;
	if (w->out < w->ready.n) {
		heap_sink(o);
		if (w->out / WINDOW_LOOK_EVERY != looks)
			window_look_on(w, err);
	} else {
		o->filling = w;
		o->heap[0] = o->heap[--o->nr_heap];
		if (o->nr_heap)
			heap_sink(o);
	}
}

/* The oldest of all: one, unless a single window has something ready. */
static void hand_out(struct order *o, size_t most, struct sonde_error *err)
{
	struct window *w = o->heap[0];
	size_t left = window_nr_ready(w), n = o->nr_heap > 1 ? 1 : left < most ? left : most;
	const struct record_ref *run = w->ready.at + w->out;

	for (size_t i = n; i < 2 * n && i < left; i++) {
		__builtin_prefetch(run[i].p);
		__builtin_prefetch(run[i].p + HEAD_BYTES);
	}
	for (size_t i = 0; i < n; i++) {
		w->bytes -= run[i].size;
		if (run[i].time < o->delivered)
			note_late(o, run[i].time);
		else
			o->delivered = run[i].time;
	}
	o->run = run;
	o->nr_run = n;
	pass_over(o, w, n, err);
}

int order_next_run(struct order *o, size_t most, const struct record_ref **run, struct sonde_error *err)
{
	int r;

	*run = &o->one;
	if (o->sorted)
		return o->reader->ops->walk_next(o->windows[0].walk, &o->one, err);
	if (o->nr_run)
		unpin_run(o);
	while (o->filling) {
		r = window_fill(o->filling, &o->one, err);
		if (r != 0)
			return r;
		if (window_nr_ready(o->filling))
			heap_add(o, o->filling);
		o->filling = o->unfilled < o->windows + o->nr_windows ? o->unfilled++ : NULL;
	}
	if (o->nr_heap)
		hand_out(o, most, err);
	*run = o->run;
	return (int)o->nr_run;
}

int order_next(struct order *o, struct record_ref *out, struct sonde_error *err)
{
	const struct record_ref *run;
	int r = order_next_run(o, 1, &run, err);

	if (r > 0)
		*out = *run;
	return r;
}
