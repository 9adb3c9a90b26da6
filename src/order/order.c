/* SPDX-License-Identifier: MIT */
#include "order/order.h"

#include <stdlib.h>

#include "base/err.h"

/* Prefetch distance: records this far ahead have left the near caches, and loading an event reads these
 * bytes of its record. */
#define AHEAD 12
#define AHEAD_BYTES 56

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
	for (size_t i = 0; i < o->nr_pinned; i++)
		o->reader->ops->unpin(o->reader, &o->run[i]);
	o->nr_pinned = 0;
}

void order_end(struct order *o)
{
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

/* The oldest of all. A window that has nothing ready after that leaves the heap, to be filled. */
static void hand_out(struct order *o, struct sonde_error *err)
{
	struct window *w = o->heap[0];
	struct record_ref *out = &o->run[o->nr_pinned++];

	if (window_nr_ready(w) > AHEAD) {
		const uint8_t *p = w->ready.at[w->out + AHEAD].p;

		__builtin_prefetch(p);
		__builtin_prefetch(p + AHEAD_BYTES);
	}
	*out = w->ready.at[w->out++];
	w->bytes -= out->size;
	if (w->out < w->ready.n) {
		heap_sink(o);
		if (w->out % WINDOW_LOOK_EVERY == 0)
			window_look_on(w, err);
	} else {
		o->filling = w;
		o->heap[0] = o->heap[--o->nr_heap];
		if (o->nr_heap)
			heap_sink(o);
	}
	if (out->time < o->delivered)
		ledger_add(
			&o->reader->ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, out->time, -1,
			"{event|events} came later than {its|their} time: the recorder's round marks were wrong, or "
			"there are none");
	else
		o->delivered = out->time;
}

int order_next_run(struct order *o, size_t most, const struct record_ref **run, struct sonde_error *err)
{
	int r;

	*run = o->run;
	if (o->sorted)
		return o->reader->ops->walk_next(o->windows[0].walk, o->run, err);
	unpin_run(o);
	while (o->filling) {
		r = window_fill(o->filling, o->run, err);
		if (r != 0)
			return r;
		if (window_nr_ready(o->filling))
			heap_add(o, o->filling);
		o->filling = o->unfilled < o->windows + o->nr_windows ? o->unfilled++ : NULL;
	}
	while (o->nr_pinned < most && o->nr_heap && !o->filling)
		hand_out(o, err);
	return (int)o->nr_pinned;
}

int order_next(struct order *o, struct record_ref *out, struct sonde_error *err)
{
	const struct record_ref *run;
	int r = order_next_run(o, 1, &run, err);

	if (r > 0)
		*out = *run;
	return r;
}
