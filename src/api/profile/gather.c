/* SPDX-License-Identifier: MIT */
/* gather.c - traces come into a profile */
#include <sonde/profile.h>

#include <linux/perf_event.h>
#include <stdlib.h>

#include "analyze/profile/counting.h"
#include "analyze/profile/decay.h"
#include "analyze/profile/gathering.h"
#include "analyze/profile/ignored_callees.h"
#include "analyze/profile/profile_events.h"
#include "analyze/profile/profile_heads.h"
#include "analyze/profile/profile_sums.h"
#include "analyze/profile/profile_tasks.h"
#include "analyze/tables/annotated_functions.h"
#include "api/base/query.h"
#include "api/base/thread_count.h"
#include "api/trace/meta.h"
#include "api/trace/single.h"
#include "api/trace/symbol.h"
#include "api/trace/tracepoint.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"

/* Whether the options contradict each other. */
static int check_mode(const struct sonde_profile_opts *opts, struct sonde_error *err)
{
	enum sonde_profile_mode mode = OPT(opts, mode, SONDE_PROFILE_FUNCTIONS);

	if (mode > SONDE_PROFILE_BRANCHES)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "a profile has no mode %d", (int)mode);
	if (mode == SONDE_PROFILE_BRANCH_HISTORY && OPT(opts, branches_if_any, false))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "branches are in stacks or are counted, not both");
	return 0;
}

struct sonde_profile *sonde_profile_new(const struct sonde_profile_opts *opts)
{
	struct gathering *g = calloc(1, sizeof(*g));
	struct sonde_error refusal;

	if (!g)
		return NULL;
	err_clear(&refusal);
	if (OPTS_CHECK(sonde_profile_opts, opts, &refusal) < 0 ||
	    OPTS_CHECK(sonde_symbols_opts, OPT(opts, symbols, NULL), &refusal) < 0 || check_mode(opts, &refusal) < 0)
		opts = NULL;
	if (gathering_init(g, opts, symbols_from_opts(OPT(opts, symbols, NULL))) < 0) {
		sonde_profile_free(&g->profile);
		return NULL;
	}
	g->refusal = refusal;
	g->err = refusal;
	return &g->profile;
}

void sonde_profile_free(struct sonde_profile *p)
{
	if (!p)
		return;
	gathering_free(gathering_of(p));
	free(p);
}

const struct sonde_error *sonde_profile_error(const struct sonde_profile *p)
{
	return &((const struct gathering *)p)->err;
}

/* Tells the outcome of a call that may change the profile; every call fails with the refusal of the options. */
static int tell(struct gathering *p, int r)
{
	annotated_functions_drop(&p->profile);
	if (r == -SONDE_NOMEM) {
		p->out_of_memory = true;
		err_nomem(&p->err);
	}
	return r;
}

/* The formats of a stream come in a record. */
static void find_formats(struct gathering *p, struct sonde_trace *t)
{
	if ((p->kept.by & (SONDE_BY_TRACE | SONDE_BY_TRACE_FIELDS) || p->tracks.on) && !p->trace.formats)
		p->trace.formats = trace_formats(t);
}

/* Only a perf.data has such reports. */
static bool has_tracepoints_only(const struct sonde_trace *t)
{
	size_t n = t->reader_formats ? 0 : sonde_trace_evsel_count(t);

	for (size_t i = 0; i < n; i++) {
		const struct sonde_attr *attr = sonde_trace_evsel_at(t, i)->attr;

		if (!attr || attr->type != PERF_TYPE_TRACEPOINT)
			return false;
	}
	return n > 0;
}

/* The events of the first trace decide which values a profile keeps. */
static void choose_trace_values(struct gathering *p, const struct sonde_trace *t)
{
	p->kept.trace_only = p->wants.trace_if_only && (p->kept.trace_only || !p->events.n) && has_tracepoints_only(t);
	if (p->kept.trace_only)
		p->kept.by |= p->kept.raw_trace ? SONDE_BY_TRACE_FIELDS : SONDE_BY_TRACE;
}

/* Columns for fields of events, also of those without samples. */
static int note_fields(struct gathering *p, const struct sonde_evsel *evsel, uint32_t event)
{
	const struct tracefmt_event *format = NULL;

	if (p->kept.by & SONDE_BY_TRACE_FIELDS && p->trace.formats && evsel->attr &&
	    evsel->attr->type == PERF_TYPE_TRACEPOINT)
		format = tracefmt_event(p->trace.formats, evsel->attr->config);
	return format ? trace_fields_note(&p->trace_fields, event, format) : 0;
}

/* Gives the events numbers that have none yet. */
static int number_events(struct gathering *p, struct sonde_trace *t)
{
	int r = 0;

	for (size_t i = p->trace.event_of_evsel.n; i < sonde_trace_evsel_count(t) && r == 0; i++) {
		const struct sonde_evsel *evsel = sonde_trace_evsel_at(t, i);
		uint32_t event = profile_evsel(p, evsel);

		r = event == UINT32_MAX ? -SONDE_NOMEM : note_fields(p, evsel, event);
		p->trace.tracks_need_events |= tracks_expect(&p->tracks, evsel);
	}
	return r;
}

static int begin(struct gathering *p, struct sonde_trace *t)
{
	int r = profile_begin_trace(p, t->reader_formats);

	/* variables are looked up where samples are read: nobody else may look up functions meanwhile */
	p->batches.threads = p->kept.by & SONDE_BY_DATA_ADDR ? 1 :
			     thread_count(p->wants.threads, t->reader->max_memory);
	p->arch = trace_meta(t)->arch;
	choose_trace_values(p, t);
	p->trace.formats = NULL;
	find_formats(p, t);
	if (r == 0)
		r = tracks_begin_trace(&p->tracks, t->reader, p->trace.formats, &t->err);
	if (r == 0)
		r = profile_tasks_of(p, t->reader);
	if (r == 0)
		r = number_events(p, t);
	if (r == 0)
		r = symbols_carry(p->symbols, trace_meta(t), t->path);
	for (size_t i = 0; i < t->nr_files && r == 0; i++)
		r = vec_push(&p->inputs, t->files[i]);
	return r;
}

/* Samples that must be looked at as events. */
static int take_events(struct gathering *p, struct single *it, const struct sample_heads *heads,
		       const struct meta *meta)
{
	int r = 0;

	for (size_t i = 0; i < heads->n && r == 0; i++)
		r = profile_event(p, single_load(it, &heads->at[i]), meta);
	return r;
}

/* An event that the walk has just come to may be one whose samples need more than heads. */
static int take_heads(struct gathering *p, struct single *it, const struct sample_heads *heads,
		      const struct meta *meta)
{
	if (number_events(p, single_trace(it)) < 0)
		return -SONDE_NOMEM;
	if (!counting_takes_heads(p))
		return take_events(p, it, heads, meta);
	return profile_heads(p, single_trace(it)->reader, heads->at, heads->n);
}

/* 1, or 0 at the end. */
static int take_next(struct gathering *p, struct single *it, bool by_head, const struct meta *meta)
{
	const struct sonde_event *ev;
	struct sample_heads heads;
	int r = by_head ? single_next_heads(it, &ev, &heads) : single_next(it, &ev);

	if (r == 1)
		r = profile_event(p, ev, meta);
	else if (r == 2)
		r = take_heads(p, it, &heads, meta);
	else
		return r;
	return r < 0 ? r : 1;
}

static bool is_stopped(struct gathering *p)
{
	return atomic_load_explicit(&p->stopped, memory_order_relaxed);
}

/* As sonde_profile_add(). */
static int add_by_time(struct gathering *p, struct sonde_trace *t, const struct sonde_query *q)
{
	const struct meta *meta = trace_meta(t);
	bool by_head = counting_choose(p, false) == COUNT_BY_HEADS;
	struct single *it = single_new(t, q);
	int r;

	if (!it)
		return -SONDE_NOMEM;
	do {
		find_formats(p, t);
		r = take_next(p, it, by_head, meta);
	} while (r > 0 && !is_stopped(p));
	single_free(it);
	return r;
}

/* As sonde_profile_add(); @counted: false if the samples have to be counted by time. */
static int add_up(struct gathering *p, struct profile_sums *sums, struct single *it, bool *counted)
{
	const struct meta *meta = trace_meta(single_trace(it));
	const struct sonde_event *ev;
	int r, e;

	*counted = false;
	if (!single_sums(it, &sums->samples))
		return 0;
	while ((r = single_next(it, &ev)) > 0 && !sums->samples.given_up && !is_stopped(p))
		if (profile_sums_event(p, sums, ev, meta) < 0)
			return -SONDE_NOMEM;
	if (r == -SONDE_NOMEM)
		return r;
	e = profile_sums_count(p, sums);
	*counted = e == 1;
	return e < 0 ? e : r;
}

/* Begins anew what sums that gave up have changed. 0 or -SONDE_NOMEM. */
static int begin_again(struct gathering *p, struct sonde_trace *t)
{
	if (profile_begin_trace(p, t->reader_formats) < 0 || profile_tasks_of(p, t->reader) < 0)
		return -SONDE_NOMEM;
	return number_events(p, t);
}

static int add_by_sums(struct gathering *p, struct sonde_trace *t, const struct sonde_query *q, bool *counted)
{
	struct profile_sums own;
	struct single *it = single_new(t, q);
	int r = it ? profile_sums_begin(p, &own, t->reader->max_memory) : -SONDE_NOMEM;

	if (!it)
		return r;
	if (r == 0)
		r = add_up(p, &own, it, counted);
	single_free(it);
	profile_sums_end(p, &own);
	return r != -SONDE_NOMEM && !*counted ? begin_again(p, t) : r;
}

/* Sums that give up need a second walk, which a stream does not have. */
static bool can_walk_again(const struct sonde_trace *t)
{
	return t->reader->nr_bytes != SONDE_NONE;
}

static int add(struct gathering *p, struct sonde_trace *t, const struct sonde_query *query)
{
	const struct sonde_query q = query_by_time(query);
	bool counted = false;
	int r = begin(p, t);

	if (r == 0 && counting_choose(p, can_walk_again(t)) == COUNT_BY_SUMS)
		r = add_by_sums(p, t, &q, &counted);
	if (r == 0 && !counted)
		r = add_by_time(p, t, &q);
	if (atomic_exchange(&p->stopped, false) && r >= 0)
		r = err_set(&t->err, SONDE_STOPPED, SONDE_NONE, "stopped");
	if (profile_end_trace(p) < 0)
		r = -SONDE_NOMEM;
	profile_end_counting(p);
	return r;
}

void sonde_profile_stop(struct sonde_profile *p)
{
	struct gathering *g = gathering_of(p);

	atomic_store(&g->stopped, true);
}

int sonde_profile_add(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query)
{
	struct gathering *g = gathering_of(p);
	int r;

	t->err = g->refusal;
	r = -(int)g->refusal.code;
	if (r == 0)
		r = OPTS_CHECK(sonde_query, query, &t->err);
	if (r == 0)
		r = add(g, t, query);
	if (r == -SONDE_NOMEM)
		err_nomem(&t->err);
	g->err = t->err;
	return tell(g, r);
}

int sonde_profile_begin(struct sonde_profile *p, struct sonde_trace *t)
{
	struct gathering *g = gathering_of(p);

	g->err = g->refusal;
	return tell(g, g->err.code ? -(int)g->err.code : begin(g, t));
}

/* Results are valid until the first event after them: then names may change. */
static int feed(struct gathering *p, struct sonde_trace *t, const struct sonde_event *ev)
{
	const struct binaries *b = &p->tasks->binaries;

	if (p->settled && symbols_read_on(p->symbols, b->list.at, b->list.n) < 0)
		return -SONDE_NOMEM;
	p->settled = false;
	return profile_event(p, ev, trace_meta(t));
}

int sonde_profile_feed(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_event *ev)
{
	struct gathering *g = gathering_of(p);

	g->err = g->refusal;
	if (!g->err.code && !profile_is_counting(g))
		err_set(&g->err, SONDE_USAGE, SONDE_NONE, "no trace has begun: sonde_profile_begin() comes first");
	return tell(g, g->err.code ? -(int)g->err.code : feed(g, t, ev));
}

int sonde_profile_settle(struct sonde_profile *p)
{
	struct gathering *g = gathering_of(p);

	g->err = g->refusal;
	g->settled = !g->err.code;
	return tell(g, g->err.code ? -(int)g->err.code : profile_end_trace(g));
}

int sonde_profile_ignore_callees(struct sonde_profile *p, const char *regex)
{
	struct gathering *g = gathering_of(p);

	g->err = g->refusal;
	return tell(g, g->err.code ? -(int)g->err.code : ignored_callees_cut(g, regex));
}

int sonde_profile_decay(struct sonde_profile *p, uint32_t eighths)
{
	struct gathering *g = gathering_of(p);

	g->err = g->refusal;
	if (g->err.code)
		return -(int)g->err.code;
	if (eighths > 8)
		return err_set(&g->err, SONDE_USAGE, SONDE_NONE, "%u eighths are more than the whole", eighths);
	if (p->timed.on)
		return err_set(&g->err, SONDE_USAGE, SONDE_NONE, "samples with their times do not fade");
	return tell(g, profile_decay(g, eighths));
}
