/* SPDX-License-Identifier: MIT */
/*
 * window.c - from the records of a walk to references in the order of their times
 *
 *	walk ---> found [ sorted | new ] ---> ready [ out ... ] ---> order.c
 *	              |
 *	              +---> pending: a mark, or a record without a time, acted on at once
 *
 * In: references in the order of the file, one by one (take_next), or many at once from another thread (look). At a
 * round mark `found` is merged: what is not newer than all records before the last mark is complete, because nothing
 * older can come. A window without marks, or with too many records or bytes, gives up its older half instead; what
 * comes too late for its place then is delivered all the same, and told. Out: the complete references, which swap
 * arrays with `ready` when everything before them has been handed out.
 *
 * Never: a reference is ready while an older one may come, but where a limit forces it; this thread touches `found` or
 * the walk while another one looks (until end_look()); a sample that was added up is a reference, too.
 */
#include "order/window.h"

#include <string.h>

#include "base/err.h"
#include "order/runs.h"
#include "order/sample_sums.h"

#define HELD_EVERY 64        /* records between two looks at the memory that they keep */
#define WORTH_A_LOOK 256     /* while so many are handed out, another thread can do something useful */
#define VAIN_LOOKS_MAX 4     /* records that have to be acted on lie too close */

/* Sorts what was found; what is not newer than `until` is complete. */
static int flush(struct window *w, uint64_t until)
{
	size_t n = w->found.n;

	if (w->scratch.cap < n && vec_reserve(&w->scratch, n) < 0)
		return -SONDE_NOMEM;
	if (n)
		runs_merge_tail(w->found.at, w->scratch.at, w->sorted, n);
	w->sorted = n;
	w->complete = until == SONDE_NONE ? n : runs_not_newer(w->found.at, n, until);
	return 0;
}

static int end_round(struct window *w)
{
	int r = flush(w, w->newest_of_last_round);

	if (w->newest_of_last_round > w->gone)
		w->gone = w->newest_of_last_round;
	w->newest_of_last_round = w->newest;
	return r;
}

/* The complete references become ready; the others move to the other array. */
static int hand_over(struct window *w)
{
	size_t rest = w->found.n - w->complete;
	struct record_refs old = w->ready;

	old.n = 0;
	if (vec_reserve(&old, rest) < 0)
		return -SONDE_NOMEM;
	if (rest)
		memcpy(old.at, w->found.at + w->complete, rest * sizeof(*old.at));
	old.n = w->sorted = rest;
	w->ready = w->found;
	w->ready.n = w->complete;
	w->found = old;
	w->complete = w->out = 0;
	return 0;
}

static bool is_full(const struct window *w)
{
	return w->found.n + window_nr_ready(w) >= w->max_refs || w->bytes >= w->max_bytes;
}

static bool holds_too_much(const struct window *w)
{
	return w->reader->ops->held && w->reader->ops->held(w->reader) > w->max_held;
}

/* A record that comes too late for its place is told of when it is handed out. A sum does not tell of it. */
static void note_times(struct window *w, uint64_t oldest, uint64_t newest)
{
	if (newest > w->newest)
		w->newest = newest;
	if (oldest < w->gone && w->reader->sums)
		w->reader->sums->given_up = true;
}

/* Runs on the other thread, or on this one where nothing else is to be done. */
static void look(struct job *j)
{
	struct window *w = (struct window *)j;
	size_t n = w->found.n;

	w->reader->ops->walk_ahead(w->walk, &w->ahead);
	for (; n < w->found.n; n++)
		note_times(w, w->found.at[n].time, w->found.at[n].time);
	note_times(w, w->ahead.oldest, w->ahead.newest);
	if (w->ahead.mark.p && end_round(w) < 0)
		w->ahead.nomem = true;
}

static void begin_look(struct window *w)
{
	w->ahead = (struct look_ahead){
		.refs = &w->found,
		.max_refs = w->max_refs - w->found.n - window_nr_ready(w),
		.max_bytes = w->max_bytes - w->bytes,
		.oldest = SONDE_NONE,
	};
}

static int take_look(struct window *w, struct sonde_error *err)
{
	const struct look_ahead *a = &w->ahead;

	w->reader->ops->walk_take_ahead(w->walk, a);
	w->bytes += a->passed - a->counted - (a->mark.p ? a->mark.size : 0);
	w->pending = a->mark;
	w->vain_looks = a->passed ? 0 : w->vain_looks + 1;
	return a->nomem ? err_nomem(err) : 0;
}

/* Looks for what is next while what is ready is handed out. */
static void look_beside(struct window *w)
{
	struct reader *r = w->reader;

	if (!r->ops->walk_ahead || r->sums || r->nr_parts > 1 || r->is_busy || w->ended ||
	    window_nr_ready(w) < WORTH_A_LOOK || w->vain_looks == VAIN_LOOKS_MAX || is_full(w) ||
	    holds_too_much(w) || !reader_worker(r))
		return;
	begin_look(w);
	w->job.run = look;
	worker_give(r->worker, &w->job);
}

/* After this nobody looks. */
static int end_look(struct window *w, struct sonde_error *err)
{
	if (!w->job.given)
		return 0;
	worker_wait(w->reader->worker, &w->job);
	return take_look(w, err);
}

/* A sample at which nobody could look ahead. It is not pinned, because nothing refers to it. */
static bool is_added_up(struct window *w, const struct record_ref *ref)
{
	struct reader *r = w->reader;
	struct sample_head head;

	if (!r->sums || r->ops->sample_heads(r, ref, 1, &head) != 1 || !sample_sums_takes(&head))
		return false;
	sample_sums_add(r->sums, &head);
	note_times(w, head.time, head.time);
	return true;
}

/* Takes the next record as it comes. */
static int take_next(struct window *w, struct sonde_error *err)
{
	const struct reader_ops *ops = w->reader->ops;
	struct record_ref ref;
	int r = ops->walk_next(w->walk, &ref, err);

	if (r < 0)
		return r;
	if (r == 0) {
		w->ended = true;
		return flush(w, SONDE_NONE) < 0 ? err_nomem(err) : 0;
	}
	if ((ref.mark == MARK_ROUND || ref.mark == MARK_PASS) && end_round(w) < 0)
		return err_nomem(err);
	if (ref.mark == MARK_ROUND || ref.mark == MARK_NOW || ref.time == SONDE_NONE || ref.time == 0) {
		w->pending = ref;
		return 0;
	}
	if (is_added_up(w, &ref))
		return 0;
	if (vec_push(&w->found, ref) < 0)
		return err_nomem(err);
	ops->pin(w->reader, &ref);
	w->bytes += ref.size;
	note_times(w, ref.time, ref.time);
	return 0;
}

static bool has_news(const struct window *w)
{
	return w->pending.p || w->complete || w->ended || w->failed < 0;
}

/* As large as it may become, the older half goes; when what stays is scattered in memory, all. */
static int keep_limits(struct window *w)
{
	int r = 0;

	if (is_full(w)) {
		r = flush(w, SONDE_NONE);
		w->complete = (w->complete + 1) / 2;
	} else if (holds_too_much(w)) {
		r = flush(w, SONDE_NONE);
	}
	return r;
}

/* Reads on where nothing is ready. */
static int read_on(struct window *w, struct sonde_error *err)
{
	size_t before = w->found.n;
	int r = 0;

	if (w->reader->ops->walk_ahead && !is_full(w)) {
		begin_look(w);
		look(&w->job);
		r = take_look(w, err);
	}
	if (r == 0 && !has_news(w) && !is_full(w))
		r = take_next(w, err);
	if (r < 0 || has_news(w))
		return r;
	if (is_full(w) || before / HELD_EVERY != w->found.n / HELD_EVERY)
		r = keep_limits(w);
	return r < 0 ? err_nomem(err) : 0;
}

int window_fill(struct window *w, struct record_ref *out, struct sonde_error *err)
{
	int r = w->failed < 0 ? 0 : end_look(w, err);

	while (r == 0 && w->out == w->ready.n) {
		if (w->pending.p) {
			*out = w->pending;
			w->pending.p = NULL;
			return 1;
		}
		if (w->complete) {
			if (hand_over(w) < 0)
				return err_nomem(err);
			w->vain_looks = 0;
			look_beside(w);
			return 0;
		}
		if (w->ended || w->failed < 0)
			return w->failed;
		r = read_on(w, err);
	}
	return r;
}

/* A stream is read only as far as its bytes have come: ready references do not wait for later ones. */
void window_look_on(struct window *w, struct sonde_error *err)
{
	if (!w->job.given || !worker_has_done(&w->job))
		return;
	w->failed = end_look(w, err);
	if (!has_news(w) && !is_full(w) && w->reader->nr_bytes != SONDE_NONE)
		w->failed = take_next(w, err);
	if (!has_news(w))
		look_beside(w);
}

void window_end(struct window *w)
{
	const struct reader_ops *ops;

	if (!w->reader)
		return;
	ops = w->reader->ops;
	end_look(w, NULL);
	ops->unpin(w->reader, w->ready.at + w->out, window_nr_ready(w));
	ops->unpin(w->reader, w->found.at, w->found.n);
	vec_free(&w->found);
	vec_free(&w->ready);
	vec_free(&w->scratch);
	if (w->walk)
		ops->walk_free(w->walk);
}
