/* SPDX-License-Identifier: MIT */
/*
 * walk.c - from record to record
 *
 * The saved command lines come first, as names of threads that hold from the beginning; then the text of latency
 * tracers, then the records of all extents: one extent after the other, or merged by time. Each extent is sorted, so
 * what is kept for merging is one record, and of compressed pages one chunk, for each.
 */
#include "tracedat/read/event.h"
#include "tracedat/read/stream.h"
#include "tracedat/read/stream_time_range.h"
#include "tracedat/read/walk.h"

/* An extent in the heap; the one whose next record is the oldest is on top. */
struct heap_entry {
	uint64_t time;
	uint64_t rank;               /* of equal times: by buffer, then CPU */
	uint32_t stream;
};

struct walk {
	struct tracedat *f;
	bool by_time;
	struct stream *streams;
	size_t nr_streams;
	size_t current;              /* by file: the one that is being read; those before it are done */
	struct heap_entry *heap;     /* by time */
	size_t nr_heap;
	struct record_ref *heads;    /* by time: the next record of each */
	bool begun;                  /* by time: the heap has been filled */
	bool taken;                  /* the record on top has been handed out */
	uint64_t delivered;          /* time of the last one handed out */
	size_t text, text_at;        /* next line: of which text (0: the command lines), at which byte of it */
	struct stream_shared shared;
};

static bool is_before(const struct heap_entry *a, const struct heap_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->rank < b->rank;
}

/* The one that comes first of the two below; 0 if there is none. */
static size_t first_below(const struct heap_entry *heap, size_t n, size_t at)
{
	size_t child = 2 * at + 1;

	if (child >= n)
		return 0;
	return child + 1 < n && is_before(&heap[child + 1], &heap[child]) ? child + 1 : child;
}

/* Moves the top down to its place. */
static void sift_down(struct heap_entry *heap, size_t n)
{
	size_t at = 0, child = first_below(heap, n, 0);
	struct heap_entry top;

	/* mostly it stays, and a copy of what has just been written in another size waits for the memory */
	if (!child || !is_before(&heap[child], &heap[0]))
		return;
	top = heap[0];
	do {
		heap[at] = heap[child];
		at = child;
		child = first_below(heap, n, at);
	} while (child && is_before(&heap[child], &top));
	heap[at] = top;
}

static void push(struct walk *w, struct heap_entry e)
{
	size_t at = w->nr_heap++, parent;

	while (at > 0 && is_before(&e, &w->heap[parent = (at - 1) / 2])) {
		w->heap[at] = w->heap[parent];
		at = parent;
	}
	w->heap[at] = e;
}

static int fill_heap(struct walk *w, struct sonde_error *err)
{
	for (size_t i = 0; i < w->nr_streams; i++) {
		const struct cpu_extent *r = &w->f->extents.at[i];
		int got = dat_stream_next(&w->streams[i], &w->heads[i], err);

		if (got < 0)
			return got;
		if (got)
			push(w,
			     (struct heap_entry){ w->heads[i].time, (uint64_t)r->buffer << 32 | (uint32_t)r->cpu,
					     (uint32_t)i });
	}
	return 0;
}

/* By time all streams are read at once, and share what there is. Little memory is better spent otherwise. */
static unsigned jobs_each(const struct tracedat *f, bool by_time)
{
	size_t n = by_time && f->extents.n ? AHEAD_JOBS / f->extents.n : AHEAD_JOBS_OF_STREAM;

	if (f->base.max_memory && f->base.max_memory / 4 < AHEAD_BYTES)
		return 0;
	return n > AHEAD_JOBS_OF_STREAM ? AHEAD_JOBS_OF_STREAM : n ? (unsigned)n : 1;
}

static int make_walk(struct tracedat *f, bool by_time, struct walk **out, struct sonde_error *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	size_t n = f->extents.n;
	int r = 0;

	if (!w)
		return err_nomem(err);
	ledger_restart(&f->base.ledger);
	f->ledger_owner = w;
	w->f = f;
	w->by_time = by_time;
	w->shared.budget = dat_unpack_limit(f->input.size);
	w->shared.jobs_each = jobs_each(f, by_time);
	w->streams = calloc(n ? n : 1, sizeof(*w->streams));
	w->heap = calloc(n ? n : 1, sizeof(*w->heap));
	w->heads = calloc(n ? n : 1, sizeof(*w->heads));
	if (!w->streams || !w->heap || !w->heads)
		r = err_nomem(err);
	for (; r == 0 && w->nr_streams < n; w->nr_streams++)
		r = dat_stream_start(&w->streams[w->nr_streams], f, w, (uint32_t)w->nr_streams, &w->shared, err);
	if (r < 0) {
		dat_walk_free(w);
		return r;
	}
	*out = w;
	return 0;
}

int dat_walk_new(struct reader *r, struct walk **out, struct sonde_error *err)
{
	return make_walk(dat_of(r), false, out, err);
}

int dat_walk_new_by_time(struct reader *r, struct walk **out, struct sonde_error *err)
{
	return make_walk(dat_of(r), true, out, err);
}

int dat_walk_narrow(struct walk *w, uint64_t min, uint64_t max, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; i < w->nr_streams && r == 0; i++)
		r = dat_stream_narrow(&w->streams[i], min, max, err);
	return r;
}

void dat_walk_free(struct walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr_streams; i++)
		dat_stream_end(&w->streams[i]);
	dat_ahead_end(&w->shared.ahead);
	if (w->f->ledger_owner == w)
		w->f->ledger_owner = NULL;
	free(w->streams);
	free(w->heap);
	free(w->heads);
	free(w);
}

uint64_t dat_walk_passed(const struct walk *w)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < w->nr_streams; i++)
		bytes += dat_stream_passed(&w->streams[i]);
	return bytes;
}

void dat_pin(struct reader *r, const struct record_ref *ref)
{
	dat_of(r)->blocks.at[ref->block]->pins++;
}

void dat_unpin(struct reader *r, const struct record_ref *refs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		dat_of(r)->blocks.at[refs[i].block]->pins--;
		dat_block_release(dat_of(r), refs[i].block);
	}
}

/* The next line of the command lines, then of the texts; false after the last. */
static bool next_line(struct walk *w, struct record_ref *out)
{
	struct tracedat *f = w->f;

	for (; w->text <= f->texts.n; w->text++, w->text_at = 0) {
		uint32_t number = w->text ? f->texts.at[w->text - 1] : f->cmdlines;
		const struct dat_block *p = number == BLOCK_NONE ? NULL : f->blocks.at[number];

		while (p && w->text_at < p->size) {
			const uint8_t *line = p->data + w->text_at, *nl = memchr(line, '\n', p->size - w->text_at);
			size_t n = nl ? (size_t)(nl - line) : p->size - w->text_at;
			struct sonde_str comm;
			int32_t pid;

			w->text_at += n + (nl != NULL);
			if (w->text == 0 && !dat_cmdline((struct sonde_str){ (const char *)line, n }, &pid, &comm))
				continue;
			*out = (struct record_ref){ .p = line, .block = number, .mark = MARK_NOW,
						    .kind = w->text ? DAT_TEXT : DAT_COMM };
			return true;
		}
	}
	return false;
}

static int next_by_file(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	for (; w->current < w->nr_streams; w->current++) {
		int r = dat_stream_next(&w->streams[w->current], out, err);

		if (r != 0)
			return r;
		dat_stream_end(&w->streams[w->current]);
	}
	return 0;
}

/* The record that was handed out is replaced by the next one of its extent only now: its memory had to stay. */
static int replace_top(struct walk *w, struct sonde_error *err)
{
	uint32_t i = w->heap[0].stream;
	int r = dat_stream_next(&w->streams[i], &w->heads[i], err);

	if (r < 0)
		return r;
	if (r == 0) {
		dat_stream_end(&w->streams[i]);
		w->heap[0] = w->heap[--w->nr_heap];
	} else {
		w->heap[0].time = w->heads[i].time;
	}
	if (w->nr_heap > 1)
		sift_down(w->heap, w->nr_heap);
	return 0;
}

static int next_by_time(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	const struct record_ref *head;
	int r;

	if (!w->begun) {
		w->begun = true;
		r = fill_heap(w, err);
		if (r < 0)
			return r;
	}
	if (w->taken) {
		w->taken = false;
		r = replace_top(w, err);
		if (r < 0)
			return r;
	}
	if (w->nr_heap == 0)
		return 0;
	head = &w->heads[w->heap[0].stream];
	/* field by field, as it was written: see dat_stream_next() */
	out->time = head->time;
	out->p = head->p;
	out->block = head->block;
	out->mark = head->mark;
	out->kind = head->kind;
	w->taken = true;
	if (out->time >= w->delivered)
		w->delivered = out->time;
	else if (w->f->ledger_owner == w)
		ledger_add(&w->f->base.ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, out->time,
			   w->f->extents.at[w->heap[0].stream].cpu,
			   "{event|events} older than one before them on the same CPU: its clock went back");
	return 1;
}

int dat_walk_next(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	if (w->text <= w->f->texts.n && next_line(w, out))
		return 1;
	return w->by_time ? next_by_time(w, out, err) : next_by_file(w, out, err);
}
