/* SPDX-License-Identifier: MIT */
/*
 * several.c - the events of several traces in one order of time
 *
 * Each trace has an iterator of its own, whose next event is its head. The head with the lowest time comes next; of
 * equal times, that of the first trace. An event without a time comes at once, because its place is fixed in its own
 * trace only.
 */
#include "api/several.h"

#include <string.h>

#include "api/query.h"
#include "api/single.h"
#include "api/trace.h"
#include "base/bytes.h"

struct part {
	struct sonde_trace *trace;
	struct single *it;
	struct loaded_event head;
	uint64_t key;                /* time of the head, or of the event before if the head has none */
	int64_t shift;
	bool unknown;                /* the distance of its clock from the first clock is not known */
};

struct several {
	struct part *parts;
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

/* ---- clocks ---- */

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* The tracefs name of a clock; NULL if tracefs does not have it. */
static const char *clock_of(const struct reader *r)
{
	static const struct {
		int32_t id;
		const char *name;
	} ids[] = { { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" }, { 11, "tai" } };
	const struct sonde_attr *attr;

	if (strcmp(r->info.format, "trace.dat") == 0)
		return r->meta.trace_clock;
	attr = r->evsels.n ? r->evsels.at[0]->attr : NULL;
	if (!attr)
		return NULL;
	for (size_t i = 0; attr->flags & SONDE_ATTR_USE_CLOCKID && i < ARRAY_SIZE(ids); i++)
		if (attr->clockid == ids[i].id)
			return ids[i].name;
	return attr->flags & SONDE_ATTR_USE_CLOCKID ? NULL : "perf";
}

/* Traces of two formats share a clock if both clocks have one name and both traces come from one machine. */
static bool is_one_clock(const struct reader *a, const struct reader *b)
{
	const char *x = clock_of(a), *y = clock_of(b);

	return x && y && strcmp(x, y) == 0 && !differ(a->meta.hostname, b->meta.hostname);
}

static void align(struct several *s, size_t i, const struct sonde_several_opts *opts)
{
	const int64_t *offsets = OPT(opts, offsets_ns, NULL);
	const struct reader *first = s->parts[0].trace->reader, *r = s->parts[i].trace->reader;
	bool known = true;

	if (i < OPT(opts, nr_offsets, 0))
		s->parts[i].shift = offsets[i];
	else if (r && first && r->ops == first->ops)
		known = r->ops->align(r, first, &s->parts[i].shift);
	else if (r && first)
		known = is_one_clock(r, first);
	s->parts[i].unknown = !known;
}

/* Moves a time, but never to SONDE_NONE. */
static uint64_t moved(uint64_t time, int64_t shift)
{
	if (shift < 0 ? time > -(uint64_t)shift : time < SONDE_NONE - 1 - (uint64_t)shift)
		return time + (uint64_t)shift;
	return shift < 0 ? 1 : SONDE_NONE - 1;
}

/* ---- beginning ---- */

/* Moves the times of the query, which are by the first clock. */
static struct single *iterate(const struct part *p, const struct sonde_query *query)
{
	struct sonde_query q = query_of(query);
	VEC(struct sonde_time_range) times = { 0 };
	struct single *it = NULL;
	int64_t back = p->shift == INT64_MIN ? INT64_MAX : -p->shift;

	q.order = SONDE_ORDER_TIME;
	if (q.time_min && back)
		q.time_min = moved(q.time_min, back);
	if (q.time_max && back)
		q.time_max = moved(q.time_max, back);
	if (vec_reserve(&times, q.nr_times) == 0) {
		for (size_t i = 0; i < q.nr_times; i++)
			times.at[times.n++] = (struct sonde_time_range){
				moved(q.times[i].from, back), moved(q.times[i].to, back) };
		if (back && q.nr_times)
			q.times = times.at;
		it = single_new(p->trace, &q);
	}
	vec_free(&times);
	return it;
}

struct several *several_new(struct sonde_trace *const *traces, size_t nr, const struct sonde_query *query,
			    const struct sonde_several_opts *opts)
{
	struct several *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->parts = calloc(nr ? nr : 1, sizeof(*s->parts));
	s->heap = calloc(nr ? nr : 1, sizeof(*s->heap));
	for (; s->parts && s->heap && s->nr < nr; s->nr++) {
		struct part *p = &s->parts[s->nr];

		p->trace = traces[s->nr];
		align(s, s->nr, opts);
		p->it = iterate(p, query);
		if (!p->it)
			break;
		/* added after reading has begun, because that clears the ledger */
		if (p->unknown)
			ledger_add(
				&p->trace->reader->ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, SONDE_NONE, -1,
				"clock whose offset from the first trace's clock is unknown: its times are unchanged");
	}
	if (s->nr < nr || !s->parts || !s->heap) {
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
	struct part *p = &s->parts[i];
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
	p->head = *event_of(ev);     /* a copy, because its time may change */
	if (p->head.pub.time != 0 && p->head.pub.time != SONDE_NONE) {
		p->head.pub.time = p->shift ? moved(p->head.pub.time, p->shift) : p->head.pub.time;
		p->key = p->head.pub.time;
	}
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
