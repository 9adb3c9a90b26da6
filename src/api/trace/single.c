/* SPDX-License-Identifier: MIT */
/* single.c - the events of one trace that match a query */
#include "api/trace/single.h"

#include <string.h>

#include "api/base/query.h"
#include "api/trace/trace.h"
#include "model/selection.h"
#include "order/deferred_callchain.h"
#include "order/file_order.h"
#include "order/read_samples.h"
#include "order/sample_sums.h"

/* Copies a list of the caller; an empty list matches everything. */
struct number_list {
	int32_t *at;
	size_t n;
};

#define EVENTS_PER_PROGRESS 8192

struct single {
	struct sonde_trace *trace;
	bool by_time;
	struct walk *walk;           /* file order */
	struct file_order in_file;   /* the same, for heads */
	struct order order;          /* time order */
	const struct record_ref *run;   /* what either has handed out */
	size_t nr_run, run_at;       /* references there, of which the next one */
	struct sample_head heads[ORDER_RUN];
	struct deferred_callchains deferred;            /* time order */
	bool splits_reads;
	struct read_samples reads;
	struct loaded_event event;   /* the last event given to the program */
	struct loaded_event behind;  /* comes after the samples whose deferred callchains are complete */
	bool has_behind, gives_deferred;
	size_t untold;               /* events since the last call of progress */
	uint64_t added_up;           /* samples that it knows of */
	int failed;                  /* every step fails with this error */
	struct sonde_error why;
	int64_t shift;               /* of the times of the trace to those of the program */
	bool narrowed, samples_only;
	uint64_t time_min, time_max;   /* of the program, as those of `times` */
	struct sonde_time_range *times;
	size_t nr_times;
	struct number_list cpus, pids, tids;
	char **events;
	size_t nr_events;
};

static int copy_numbers(struct number_list *to, const int32_t *from, size_t n)
{
	if (n == 0)
		return 0;
	to->at = malloc(n * sizeof(*to->at));
	if (!to->at)
		return -SONDE_NOMEM;
	memcpy(to->at, from, n * sizeof(*to->at));
	to->n = n;
	return 0;
}

static int copy_names(struct single *it, const char *const *names, size_t n)
{
	it->events = n ? calloc(n, sizeof(*it->events)) : NULL;
	if (n && !it->events)
		return -SONDE_NOMEM;
	for (; it->nr_events < n; it->nr_events++) {
		it->events[it->nr_events] = strdup(names[it->nr_events]);
		if (!it->events[it->nr_events])
			return -SONDE_NOMEM;
	}
	return 0;
}

static int copy_times(struct single *it, const struct sonde_time_range *times, size_t n)
{
	it->times = n ? calloc(n, sizeof(*times)) : NULL;
	if (n && !it->times)
		return -SONDE_NOMEM;
	if (n)
		memcpy(it->times, times, n * sizeof(*times));
	it->nr_times = n;
	return 0;
}

static int copy_query(struct single *it, const struct sonde_query *query)
{
	const struct sonde_query q = query_of(query);

	it->by_time = q.order == SONDE_ORDER_TIME;
	it->samples_only = q.samples_only;
	it->splits_reads = q.split_reads;
	it->time_min = q.time_min;
	it->time_max = q.time_max ? q.time_max : UINT64_MAX;
	if (copy_times(it, q.times, q.nr_times) < 0 || copy_numbers(&it->cpus, q.cpus, q.nr_cpus) < 0 ||
	    copy_numbers(&it->pids, q.pids, q.nr_pids) < 0 || copy_numbers(&it->tids, q.tids, q.nr_tids) < 0 ||
	    copy_names(it, q.events, q.nr_events) < 0)
		return -SONDE_NOMEM;
	it->narrowed = it->time_min || it->time_max != UINT64_MAX || it->cpus.n || it->pids.n || it->tids.n ||
		it->nr_events || it->nr_times;
	return 0;
}

static void note_cut(struct single *it, uint64_t time)
{
	ledger_add(&it->trace->reader->ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, time, -1,
		   "{time|times} that the offset moves past the beginning or the end of the clock");
}

static uint64_t moved(struct single *it, uint64_t time)
{
	bool cut = false;
	uint64_t to = clocks_move(time, it->shift, &cut);

	if (cut)
		note_cut(it, time);
	return to;
}

/* A limit of the program by the clock of the trace. One beyond the clock chooses what is there. */
static uint64_t limit_of_trace(const struct single *it, uint64_t limit)
{
	return limit == UINT64_MAX ? limit : clocks_move_back(limit, it->shift);
}

/* Counts grow from sample to sample, also outside of the range. */
static int narrow(struct single *it, struct reader *r)
{
	uint64_t min = limit_of_trace(it, it->time_min), max = limit_of_trace(it, it->time_max);

	if (it->splits_reads && read_samples_expected(r))
		return 0;
	if (it->by_time)
		return order_narrow(&it->order, min, max, &it->trace->err);
	return r->ops->walk_narrow ? r->ops->walk_narrow(it->walk, min, max, &it->trace->err) : 0;
}

struct single *single_new(struct sonde_trace *t, const struct sonde_query *query)
{
	struct sonde_alignment how = t->alignment;

	how.offset_ns = t->reader ? t->reader->time_shift : 0;
	return single_new_aligned(t, query, &how);
}

struct single *single_new_aligned(struct sonde_trace *t, const struct sonde_query *query,
				  const struct sonde_alignment *how)
{
	struct single *it = calloc(1, sizeof(*it));
	struct reader *r = t->reader;

	if (!it || copy_query(it, query) < 0) {
		single_free(it);
		return NULL;
	}
	it->trace = t;
	it->shift = how->offset_ns;
	it->deferred = DEFERRED_CALLCHAINS_NONE;
	if (!r)
		it->failed = err_set(&t->err, SONDE_USAGE, SONDE_NONE, "this trace is not open");
	else
		it->failed = it->by_time ? order_start(&it->order, r, &t->err) :
			     r->ops->walk_new(r, &it->walk, &t->err);
	if (it->failed == 0 && (it->time_min || it->time_max != UINT64_MAX))
		it->failed = narrow(it, r);
	it->why = t->err;
	/* added after reading has begun, because that clears the ledger */
	if (r && how->text && !clocks_known(how->fact))
		ledger_add(&r->ledger, SONDE_LOSS_ORDER, 1, SONDE_NONE, SONDE_NONE, -1,
			   "clock whose offset from the first trace's clock is unknown: its times are unchanged");
	return it;
}

void single_free(struct single *it)
{
	if (!it)
		return;
	if (it->order.windows)
		order_end(&it->order);
	deferred_callchains_free(&it->deferred);
	read_samples_free(&it->reads);
	file_order_end(&it->in_file);
	if (it->walk)
		it->trace->reader->ops->walk_free(it->walk);
	if (it->trace && it->trace->reader)
		it->trace->reader->sums = NULL;
	free(it->times);
	free(it->cpus.at);
	free(it->pids.at);
	free(it->tids.at);
	for (size_t i = 0; i < it->nr_events; i++)
		free(it->events[i]);
	free(it->events);
	free(it);
}

static bool has(const struct number_list *list, int32_t n)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == n)
			return true;
	return list->n == 0;
}

static bool has_event(const struct single *it, const struct sonde_evsel *evsel)
{
	for (size_t i = 0; evsel && i < it->nr_events; i++)
		if (strcmp(it->events[i], evsel->name) == 0)
			return true;
	return it->nr_events == 0;
}

static bool matches(const struct single *it, const struct sonde_event *ev)
{
	if (ev->kind != SONDE_KIND_SAMPLE)
		return !it->samples_only;
	if (!it->narrowed)
		return true;
	return (ev->time == SONDE_NONE ||
		(ev->time >= it->time_min && ev->time <= it->time_max &&
		 selects_time(it->times, it->nr_times, ev->time))) &&
		has(&it->cpus, ev->cpu) && has(&it->pids, ev->pid) && has(&it->tids, ev->tid) &&
		has_event(it, ev->evsel);
}

static bool is_to_split(const struct single *it, const struct sonde_event *ev)
{
	return it->splits_reads && ev->kind == SONDE_KIND_SAMPLE && reads_counts(ev->evsel);
}

/* The samples that one is split into are judged later, one by one. */
static bool wanted(const struct single *it, const struct sonde_event *ev)
{
	return is_to_split(it, ev) || matches(it, ev);
}

/* Gives the samples whose callchain is now complete, then the record that completed them: 1, 0 if there is none. */
static int next_deferred(struct single *it, struct loaded_event *out)
{
	int r = deferred_callchains_next(&it->deferred, out);

	if (it->deferred.given_up) {
		ledger_add(&it->trace->reader->ledger, SONDE_LOSS_UNSUPPORTED, it->deferred.given_up,
			   out->pub.file_offset, out->pub.time, -1,
			   "{sample|samples} without the user part of {its|their} callchain: too many waited for it");
		it->deferred.given_up = 0;
	}
	if (r != 0)
		return r < 0 ? err_nomem(&it->trace->err) : r;
	if (it->has_behind)
		*out = it->behind;
	r = it->has_behind;
	it->has_behind = false;
	return r;
}

static int next_run(struct single *it, size_t most)
{
	if (it->by_time)
		return order_next_run(&it->order, most, &it->run, &it->trace->err);
	return file_order_next_run(&it->in_file, most, &it->run, &it->trace->err);
}

static int next_ref(struct single *it, size_t most, struct record_ref *ref)
{
	int r = 1;

	if (!it->by_time && !it->in_file.reader)
		return it->trace->reader->ops->walk_next(it->walk, ref, &it->trace->err);
	if (it->run_at == it->nr_run) {
		r = next_run(it, most);
		it->nr_run = r > 0 ? (size_t)r : 0;
		it->run_at = 0;
	}
	if (r <= 0)
		return r;
	*ref = it->run[it->run_at++];
	return 1;
}

/* The samples that begin with the reference taken last. */
static size_t take_heads(struct single *it)
{
	struct reader *reader = it->trace->reader;
	size_t n = reader->ops->sample_heads(reader, it->run + it->run_at - 1, it->nr_run - it->run_at + 1, it->heads);

	if (n)
		it->run_at += n - 1;
	for (size_t i = 0; i < n && it->shift; i++)
		it->heads[i].time = moved(it, it->heads[i].time);
	return n;
}

/* 2: @heads were given, not @out; NULL: that is not wanted. */
static int next_record(struct single *it, struct loaded_event *out, struct sample_heads *heads)
{
	struct reader *reader = it->trace->reader;
	struct record_ref ref;
	int r = it->failed;

	if (r < 0)
		it->trace->err = it->why;
	else
		r = next_ref(it, heads ? ORDER_RUN : 1, &ref);
	if (r > 0 && heads && (heads->n = take_heads(it)) > 0)
		return 2;
	if (r > 0)
		reader->ops->load(reader, &ref, out);
	if (r > 0 && it->shift)
		out->pub.time = moved(it, out->pub.time);
	return r;
}

static void fail(struct single *it, int r)
{
	it->failed = r;
	it->why = it->trace->err;
}

/* A function of its own, because most events skip it. */
static __attribute__((noinline)) int defer_event(struct single *it, const struct sonde_event *ev)
{
	int r = ev->kind != SONDE_KIND_SAMPLE || wanted(it, ev) ? deferred_callchains_take(&it->deferred, ev) : 0;

	if (r < 0)
		return err_nomem(&it->trace->err);
	it->gives_deferred = true;
	it->has_behind = r == 0 && wanted(it, ev);
	if (it->has_behind)
		it->behind = *event_of(ev);
	return 0;
}

static __attribute__((noinline)) void tell_progress(struct single *it, bool ended, size_t nr_events)
{
	const struct reader *r = it->trace->reader;

	it->untold += nr_events;
	if (r && r->sums) {
		it->untold += r->sums->samples - it->added_up;
		it->added_up = r->sums->samples;
	}
	if (!ended && it->untold < EVENTS_PER_PROGRESS)
		return;
	it->untold = 0;
	it->trace->progress(it->trace->progress_ctx, ended ? 1 : single_progress(it));
}

static int next_record_or_deferred(struct single *it, struct loaded_event *out, struct sample_heads *heads)
{
	int r;

	for (;;) {
		if (it->gives_deferred) {
			r = next_deferred(it, out);
			if (r != 0)
				return r;
			it->gives_deferred = false;
		}
		r = next_record(it, out, heads);
		if (it->trace->progress)
			tell_progress(it, r <= 0, r == 2 ? heads->n : 1);
		if (r <= 0) {
			if (!it->deferred.oldest)
				return r;
			fail(it, r);  /* reported after the waiting samples */
			err_clear(&it->trace->err);
			deferred_callchains_end(&it->deferred);
			it->gives_deferred = true;
		} else if (r == 2) {
			return 2;
		} else if (it->by_time && deferred_callchains_concern(&out->pub)) {
			r = defer_event(it, &out->pub);
			if (r < 0)
				return r;
		} else if (wanted(it, &out->pub)) {
			return 1;
		}
	}
}

/* Counts of the record that was split last for which it gave no sample: see read_samples.h. */
static void tell_crowded(struct single *it)
{
	const struct sonde_event *ev = &it->reads.sample.pub;

	if (!it->reads.crowded)
		return;
	ledger_add(&it->trace->reader->ledger, SONDE_LOSS_UNSUPPORTED, it->reads.crowded, ev->file_offset, ev->time,
		   ev->cpu, "{sample|samples} of groups whose call chains or stacks would be repeated too often");
	it->reads.crowded = 0;
}

static int next(struct single *it, struct loaded_event *out, struct sample_heads *heads)
{
	int r;

	for (;;) {
		r = read_samples_next(&it->reads, out);
		if (r < 0)
			return err_nomem(&it->trace->err);
		if (r == 0) {
			tell_crowded(it);
			r = next_record_or_deferred(it, out, heads);
		}
		if (r != 1)
			return r;
		if (!event_of(&out->pub)->read_by && is_to_split(it, &out->pub) &&
		    read_samples_take(&it->reads, &out->pub))
			continue;
		if (matches(it, &out->pub))
			return 1;
	}
}

static int step(struct single *it, const struct sonde_event **out, struct sample_heads *heads)
{
	int r;

	if (it->trace->err.code)
		err_clear(&it->trace->err);
	*out = &it->event.pub;
	r = next(it, &it->event, heads);
	if (r < 0)
		fail(it, r);
	return r;
}

int single_next(struct single *it, const struct sonde_event **out)
{
	return step(it, out, NULL);
}

/* The query narrows nothing, and the events of a stream are all known before its samples. */
static bool gives_heads(const struct single *it)
{
	const struct reader *r = it->trace->reader;

	return !it->narrowed && r && r->ops->sample_heads && r->nr_bytes != SONDE_NONE;
}

int single_next_heads(struct single *it, const struct sonde_event **out, struct sample_heads *heads)
{
	bool gives = gives_heads(it);

	heads->at = it->heads;
	if (gives && it->walk && !it->in_file.reader)
		file_order_start(&it->in_file, it->trace->reader, it->walk);
	return step(it, out, gives ? heads : NULL);
}

const struct sonde_event *single_load(struct single *it, const struct sample_head *head)
{
	it->trace->reader->ops->load(it->trace->reader, head->ref, &it->event);
	if (it->shift)
		it->event.pub.time = head->time;
	return &it->event.pub;
}

bool single_sums(struct single *it, struct sample_sums *sums)
{
	if (!it->by_time || it->shift || !gives_heads(it) || !it->trace->reader->ops->walk_ahead)
		return false;
	it->trace->reader->sums = sums;
	return true;
}

struct sonde_trace *single_trace(const struct single *it)
{
	return it->trace;
}

double single_progress(const struct single *it)
{
	const struct reader *r = it->trace->reader;
	uint64_t passed;

	if (it->failed || r->nr_bytes == SONDE_NONE || r->nr_bytes == 0)
		return 0;
	passed = it->by_time ? order_passed(&it->order) : r->ops->walk_passed(it->walk);
	return (double)passed / (double)r->nr_bytes;
}
