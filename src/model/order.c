/* SPDX-License-Identifier: MIT */
#include "model/order.h"

#include <string.h>

#include "base/err.h"

/* The end of the run that begins at i. */
static size_t run_end(const struct record_ref *refs, size_t i, size_t n)
{
	for (i++; i < n && refs[i - 1].time <= refs[i].time; i++)
		;
	return i;
}

/* Merges the neighbours [0, mid) and [mid, n) of from into to. */
static void merge(const struct record_ref *from, size_t mid, size_t n, struct record_ref *to)
{
	size_t a = 0, b = mid;

	while (a < mid && b < n)
		*to++ = from[b].time < from[a].time ? from[b++] : from[a++];
	memcpy(to, from + a, (mid - a) * sizeof(*to));
	memcpy(to + (mid - a), from + b, (n - b) * sizeof(*to));
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
			merge(from + at, mid - at, end - at, to + at);
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

int order_start(struct order *o, struct reader *r, struct sonde_error *err)
{
	*o = (struct order){ .reader = r, .sorted = r->ops->walk_new_by_time };
	return o->sorted ? r->ops->walk_new_by_time(r, &o->walk, err) : r->ops->walk_new(r, &o->walk, err);
}

uint64_t order_passed(const struct order *o)
{
	return o->reader->ops->walk_passed(o->walk);
}

void order_end(struct order *o)
{
	if (o->pinned)
		o->reader->ops->unpin(o->reader, &o->last);
	for (size_t i = o->out; i < o->window.n; i++)
		o->reader->ops->unpin(o->reader, &o->window.at[i]);
	vec_free(&o->window);
	vec_free(&o->scratch);
	if (o->walk)
		o->reader->ops->walk_free(o->walk);
	*o = (struct order){ 0 };
}

/* Sorts the window; what is not newer than `until` can then be handed out. */
static int flush(struct order *o, uint64_t until)
{
	size_t n;

	if (o->out > 0) {  /* an empty window has no array to move */
		o->window.n -= o->out;
		memmove(o->window.at, o->window.at + o->out, o->window.n * sizeof(*o->window.at));
		o->out = 0;
	}
	n = o->window.n;
	if (o->scratch.cap < n && vec_reserve(&o->scratch, n) < 0)
		return -SONDE_NOMEM;
	order_merge_runs(o->window.at, o->scratch.at, n);
	o->ready = n;
	if (until != SONDE_NONE) {
		size_t low = 0;

		while (low < n) {
			size_t mid = low + (n - low) / 2;

			if (o->window.at[mid].time <= until)
				low = mid + 1;
			else
				n = mid;
		}
		o->ready = low;
	}
	return 0;
}

static void hand_out(struct order *o, const struct record_ref *ref, struct record_ref *out)
{
	o->last = *ref;
	o->pinned = true;
	if (ref->time < o->delivered)
		ledger_add(&o->reader->ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, ref->time, -1,
			   "events came later than their time: the recorder's round marks were wrong");
	else
		o->delivered = ref->time;
	*out = *ref;
}

int order_next(struct order *o, struct record_ref *out, struct sonde_error *err)
{
	struct record_ref ref;
	int r;

	if (o->sorted)
		return o->reader->ops->walk_next(o->walk, out, err);
	if (o->pinned) {
		o->reader->ops->unpin(o->reader, &o->last);
		o->pinned = false;
	}
	for (;;) {
		if (o->out < o->ready) {
			hand_out(o, &o->window.at[o->out++], out);
			return 1;
		}
		if (o->ended)
			return 0;
		r = o->reader->ops->walk_next(o->walk, &ref, err);
		if (r < 0)
			return r;
		if (r == 0) {
			o->ended = true;
			if (flush(o, SONDE_NONE) < 0)
				return err_nomem(err);
			continue;
		}
		if (ref.mark == MARK_ROUND) {
			if (flush(o, o->newest_of_last_round) < 0)
				return err_nomem(err);
			o->newest_of_last_round = o->newest;
		}
		if (ref.mark != MARK_NONE || ref.time == SONDE_NONE || ref.time == 0) {
			*out = ref;
			return 1;
		}
		if (vec_push(&o->window, ref) < 0)
			return err_nomem(err);
		o->reader->ops->pin(o->reader, &ref);
		if (ref.time > o->newest)
			o->newest = ref.time;
	}
}
