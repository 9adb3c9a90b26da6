/* SPDX-License-Identifier: MIT */
#include "model/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define HELD_EVERY 64  /* records after which it is worth a look what they keep in memory */

/*
 * What is handed out lies where a round ago a ring was read from, and so do its next ones: by then most have left the near caches.
 * Asked for this many records before, they are there again; those that are loaded have their fields in these bytes.
 */
#define AHEAD 12
#define AHEAD_BYTES 56

/* The end of the run that begins at i. */
static size_t run_end(const struct record_ref *refs, size_t i, size_t n)
{
	for (i++; i < n && refs[i - 1].time <= refs[i].time; i++)
		;
	return i;
}

/* Of equal ones those of a come first. Where b lies at the end of `to`, it is read before it is written over. */
static void merge(const struct record_ref *a, size_t nr_a, const struct record_ref *b, size_t nr_b, struct record_ref *to)
{
	const struct record_ref *end_a = a + nr_a, *end_b = b + nr_b;

	while (a < end_a && b < end_b)
		*to++ = b->time < a->time ? *b++ : *a++;
	memcpy(to, a, (size_t)(end_a - a) * sizeof(*to));
	to += end_a - a;
	if (to != b)
		memcpy(to, b, (size_t)(end_b - b) * sizeof(*to));
}

void order_merge_runs(struct record_ref *refs, struct record_ref *scratch, size_t n)
{
	struct record_ref *from = refs, *to = scratch, *swap;
	size_t runs, at, mid, end;

	do {
		runs = 0;
		for (at = 0; at < n; at = end, runs++) {
			mid = run_end(from, at, n);
			end = mid < n ? run_end(from, mid, n) : mid;
			if (runs == 0 && end == n && mid == n)
				break;  /* one run: sorted */
			merge(from + at, mid - at, from + mid, end - mid, to + at);
		}
		if (runs) {
			swap = from;
			from = to;
			to = swap;
		}
	} while (runs > 1);
	if (from != refs)
		memcpy(refs, from, n * sizeof(*refs));
}

/* Of the memory there is, references and what they are merged in take an eighth, and the records a quarter. */
static void limit_windows(struct order *o)
{
	uint64_t bytes = o->reader->max_memory / 4 / o->nr_lanes, refs = bytes / 2 / (4 * sizeof(struct record_ref));

	if (bytes && bytes < o->max_bytes)
		o->max_bytes = bytes;
	if (bytes && refs < o->max_refs)
		o->max_refs = refs > 64 ? (size_t)refs : 64;
}

/* How many of the first n, which are sorted, are not newer than `until`. */
static size_t not_newer(const struct record_ref *refs, size_t n, uint64_t until)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (refs[mid].time <= until)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

void order_merge_tail(struct record_ref *refs, struct record_ref *scratch, size_t sorted, size_t n)
{
	size_t keep, moved;

	if (sorted == n)
		return;
	order_merge_runs(refs + sorted, scratch, n - sorted);
	keep = not_newer(refs, sorted, refs[sorted].time);
	moved = sorted - keep;
	memcpy(scratch, refs + keep, moved * sizeof(*refs));
	merge(scratch, moved, refs + sorted, n - sorted, refs + keep);
}

int order_start(struct order *o, struct reader *r, struct sonde_error *err)
{
	size_t n = r->nr_parts > 1 && !r->ops->walk_new_by_time ? r->nr_parts : 1;
	int e = 0;

	*o = (struct order){ .reader = r, .nr_lanes = n, .max_refs = ORDER_MAX_REFS / n, .max_bytes = ORDER_MAX_BYTES / n };
	limit_windows(o);
	o->lanes = calloc(n, sizeof(*o->lanes));
	o->heap = calloc(n, sizeof(*o->heap));
	if (!o->lanes || !o->heap)
		e = err_nomem(err);
	o->sorted = r->ops->walk_new_by_time;
	if (e == 0 && o->sorted)
		e = r->ops->walk_new_by_time(r, &o->lanes[0].walk, err);
	for (size_t i = 0; e == 0 && !o->sorted && i < n; i++)
		e = r->nr_parts > 1 ? r->ops->walk_part(r, (uint32_t)i, &o->lanes[i].walk, err) :
				      r->ops->walk_new(r, &o->lanes[i].walk, err);
	if (e < 0) {
		order_end(o);
		return e;
	}
	o->filling = o->lanes;
	o->unfilled = o->lanes + 1;
	return 0;
}

int order_narrow(struct order *o, uint64_t min, uint64_t max, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; i < o->nr_lanes && r == 0 && o->reader->ops->walk_narrow; i++)
		r = o->reader->ops->walk_narrow(o->lanes[i].walk, min, max, err);
	return r;
}

uint64_t order_passed(const struct order *o)
{
	uint64_t n = 0;

	for (size_t i = 0; i < o->nr_lanes; i++)
		n += o->reader->ops->walk_passed(o->lanes[i].walk);
	return n;
}

static void end_lane(struct order *o, struct lane *l)
{
	for (size_t i = l->out; i < l->window.n; i++)
		o->reader->ops->unpin(o->reader, &l->window.at[i]);
	vec_free(&l->window);
	vec_free(&l->scratch);
	if (l->walk)
		o->reader->ops->walk_free(l->walk);
}

void order_end(struct order *o)
{
	if (o->pinned)
		o->reader->ops->unpin(o->reader, &o->last);
	for (size_t i = 0; o->lanes && i < o->nr_lanes; i++)
		end_lane(o, &o->lanes[i]);
	free(o->lanes);
	free(o->heap);
	*o = (struct order){ 0 };
}

/* Sorts the window, of which all that was there the last time is sorted already; what is not newer than `until` can then be handed out. */
static int flush(struct lane *l, uint64_t until)
{
	size_t n;

	if (l->out > 0) {  /* an empty window has no array to move */
		l->window.n -= l->out;
		memmove(l->window.at, l->window.at + l->out, l->window.n * sizeof(*l->window.at));
		l->sorted -= l->out;
		l->out = 0;
	}
	n = l->window.n;
	if (l->scratch.cap < n && vec_reserve(&l->scratch, n) < 0)
		return -SONDE_NOMEM;
	order_merge_tail(l->window.at, l->scratch.at, l->sorted, n);
	l->sorted = n;
	l->ready = until == SONDE_NONE ? n : not_newer(l->window.at, n, until);
	return 0;
}

static int end_round(struct lane *l)
{
	int r = flush(l, l->newest_of_last_round);

	l->newest_of_last_round = l->newest;
	return r;
}

/* The window is as large as it may become: the older half goes. */
static int flush_half(struct lane *l)
{
	int r = flush(l, SONDE_NONE);

	l->ready = (l->ready + 1) / 2;
	return r;
}

static bool holds_too_much(const struct order *o)
{
	const struct reader_ops *ops = o->reader->ops;

	return ops->held && ops->held(o->reader) / 3 > o->max_bytes * o->nr_lanes / 2;
}

/* Reads on until the lane has something ready (0) or has met a record that is acted on at once (1, in @out). */
static int fill(struct order *o, struct lane *l, struct record_ref *out, struct sonde_error *err)
{
	const struct reader_ops *ops = o->reader->ops;
	struct record_ref ref;
	int r;

	while (l->out == l->ready && !l->ended) {
		r = ops->walk_next(l->walk, &ref, err);
		if (r < 0)
			return r;
		if (r == 0) {
			l->ended = true;
			return flush(l, SONDE_NONE) < 0 ? err_nomem(err) : 0;
		}
		if ((ref.mark == MARK_ROUND || ref.mark == MARK_PASS) && end_round(l) < 0)
			return err_nomem(err);
		if (ref.mark == MARK_ROUND || ref.mark == MARK_NOW || ref.time == SONDE_NONE || ref.time == 0) {
			*out = ref;
			return 1;
		}
		if (vec_push(&l->window, ref) < 0)
			return err_nomem(err);
		ops->pin(o->reader, &ref);
		l->bytes += ref.size;
		if (ref.time > l->newest)
			l->newest = ref.time;
		if (l->window.n - l->out >= o->max_refs || l->bytes >= o->max_bytes)
			r = flush_half(l);
		else if (l->window.n % HELD_EVERY == 0 && holds_too_much(o))
			r = flush(l, SONDE_NONE);
		if (r < 0)
			return err_nomem(err);
	}
	return 0;
}

/* Of lanes whose oldest are equally old, the first part comes first. */
static bool is_older(const struct lane *a, const struct lane *b)
{
	uint64_t x = a->window.at[a->out].time, y = b->window.at[b->out].time;

	return x < y || (x == y && a < b);
}

static void heap_sink(struct order *o)
{
	struct lane *l = o->heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < o->nr_heap) {
		if (child + 1 < o->nr_heap && is_older(o->heap[child + 1], o->heap[child]))
			child++;
		if (!is_older(o->heap[child], l))
			break;
		o->heap[at] = o->heap[child];
		at = child;
	}
	o->heap[at] = l;
}

static void heap_add(struct order *o, struct lane *l)
{
	size_t at = o->nr_heap++;

	for (; at > 0 && is_older(l, o->heap[(at - 1) / 2]); at = (at - 1) / 2)
		o->heap[at] = o->heap[(at - 1) / 2];
	o->heap[at] = l;
}

/* The oldest of all lanes. One that has nothing ready after that leaves the heap, to be filled. */
static void hand_out(struct order *o, struct record_ref *out)
{
	struct lane *l = o->heap[0];

	if (l->window.n - l->out > AHEAD) {
		const uint8_t *p = l->window.at[l->out + AHEAD].p;

		__builtin_prefetch(p);
		__builtin_prefetch(p + AHEAD_BYTES);
	}
	*out = l->window.at[l->out++];
	l->bytes -= out->size;
	if (l->out < l->ready) {
		heap_sink(o);
	} else {
		o->filling = l;
		o->heap[0] = o->heap[--o->nr_heap];
		if (o->nr_heap)
			heap_sink(o);
	}
	o->last = *out;
	o->pinned = true;
	if (out->time < o->delivered)
		ledger_add(&o->reader->ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, out->time, -1,
			   "events came later than their time: the recorder's round marks were wrong, or there are none");
	else
		o->delivered = out->time;
}

int order_next(struct order *o, struct record_ref *out, struct sonde_error *err)
{
	int r;

	if (o->sorted)
		return o->reader->ops->walk_next(o->lanes[0].walk, out, err);
	if (o->pinned) {
		o->reader->ops->unpin(o->reader, &o->last);
		o->pinned = false;
	}
	while (o->filling) {
		r = fill(o, o->filling, out, err);
		if (r != 0)
			return r;
		if (o->filling->out < o->filling->ready)
			heap_add(o, o->filling);
		o->filling = o->unfilled < o->lanes + o->nr_lanes ? o->unfilled++ : NULL;
	}
	if (o->nr_heap == 0)
		return 0;
	hand_out(o, out);
	return 1;
}
