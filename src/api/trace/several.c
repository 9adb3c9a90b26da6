/* SPDX-License-Identifier: MIT */
/*
 * several.c - the events of several traces in one order of time
 *
 * Each trace has an iterator of its own, whose next event is its head. The head with the lowest time comes next; of
 * equal times, that of the first trace. An event without a time comes at once, because its place is fixed in its own
 * trace only.
 */
#include "api/trace/several.h"

#include <string.h>

#include "api/base/query.h"
#include "api/trace/alignment.h"
#include "api/trace/single.h"
#include "api/trace/trace.h"

struct merged_part {
	struct single *it;
	struct loaded_event head;
	uint64_t key;                /* time of the head, or of the event before if the head has none */
};

struct several {
	struct merged_part *parts;
	size_t nr;
	size_t *heap;                /* parts that have an event, a heap by time */
	size_t nr_heap;
	size_t begun;                /* parts whose first event has been read */
	bool taken;                  /* the program has the event on top */
	size_t last;                 /* part of the last event, or the part that failed */
	size_t failed_part;
	int failed;                  /* error of a part, returned when the other parts have ended */
	struct sonde_error why;
};

/* ---- beginning ---- */

struct several *several_new(struct sonde_trace *const *traces, size_t nr, const struct sonde_query *query,
			    const struct sonde_several_opts *opts)
{
	struct sonde_alignment *how = calloc(nr ? nr : 1, sizeof(*how));
	struct several *s = calloc(1, sizeof(*s));
	struct sonde_query q = query_of(query);
	bool whole = false;

	q.order = SONDE_ORDER_TIME;
	if (s) {
		s->parts = calloc(nr ? nr : 1, sizeof(*s->parts));
		s->heap = calloc(nr ? nr : 1, sizeof(*s->heap));
	}
	if (s && s->parts && s->heap && how && alignments_of(traces, nr, opts, how) == 0) {
		while (s->nr < nr && (s->parts[s->nr].it = single_new_aligned(traces[s->nr], &q, &how[s->nr])))
			s->nr++;
		whole = s->nr == nr;
	}
	free(how);
	if (!whole) {
		several_free(s);
		return NULL;
	}
	return s;
}

void several_free(struct several *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr; i++)
		single_free(s->parts[i].it);
	free(s->parts);
	free(s->heap);
	free(s);
}

/* ---- merging ---- */

/* The next event of a part: false if there is none. */
static bool advance(struct several *s, size_t i)
{
	struct merged_part *p = &s->parts[i];
	const struct sonde_event *ev;
	int r = single_next(p->it, &ev);

	if (r < 0 && !s->failed) {
		s->failed = r;
		s->failed_part = i;
		s->why = single_trace(p->it)->err;
	}
	if (r < 0)
		err_clear(&single_trace(p->it)->err);
	if (r <= 0)
		return false;
	p->head = *event_of(ev);
	if (p->head.pub.time != 0 && p->head.pub.time != SONDE_NONE)
		p->key = p->head.pub.time;
	return true;
}

static bool is_before(const struct several *s, size_t a, size_t b)
{
	uint64_t x = s->parts[a].key, y = s->parts[b].key;

	return x < y || (x == y && a < b);
}

static void sink(struct several *s)
{
	size_t at = 0, child, top = s->heap[0];

	while ((child = 2 * at + 1) < s->nr_heap) {
		if (child + 1 < s->nr_heap && is_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!is_before(s, s->heap[child], top))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = top;
}

static void push(struct several *s, size_t part)
{
	size_t at = s->nr_heap++;

	for (; at > 0 && is_before(s, part, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap[at] = s->heap[(at - 1) / 2];
	s->heap[at] = part;
}

/* Replaces the event on top only at the next call, because the program still looks at it. */
static void replace_top(struct several *s)
{
	s->taken = false;
	if (!advance(s, s->heap[0]))
		s->heap[0] = s->heap[--s->nr_heap];
	if (s->nr_heap)
		sink(s);
}

int several_next(struct several *s, const struct sonde_event **out)
{
	for (; s->begun < s->nr; s->begun++)
		if (advance(s, s->begun))
			push(s, s->begun);
	if (s->taken)
		replace_top(s);
	if (s->nr_heap == 0) {
		s->last = s->failed_part;
		if (s->failed)
			single_trace(s->parts[s->last].it)->err = s->why;
		return s->failed;
	}
	s->last = s->heap[0];
	*out = &s->parts[s->last].head.pub;
	s->taken = true;
	return 1;
}

size_t several_trace(const struct several *s)
{
	return s->last;
}

const struct sonde_trace *several_trace_of(const struct several *s)
{
	return single_trace(s->parts[s->last].it);
}

double several_progress(const struct several *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->nr; i++)
		sum += single_progress(s->parts[i].it);
	return s->nr ? sum / (double)s->nr : 0;
}
