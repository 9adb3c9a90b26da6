/* SPDX-License-Identifier: MIT */
#include "sched/scope.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/str.h"
#include "tracefmt/field.h"

enum { SWITCHES_MOST = 1000000 };

static int note(struct sched_scope *scope, int32_t tid, uint32_t what)
{
	const uint32_t seen = u64map_get(&scope->tasks, (uint32_t)tid), before = seen == U64MAP_NONE ? 0 : seen;

	return tid <= 0 || (seen != U64MAP_NONE && (before & what) == what) ? 0 :
	       u64map_set(&scope->tasks, (uint32_t)tid, before | what);
}

static bool was_not_chosen(const struct sched_scope *scope, int32_t tid)
{
	const uint32_t seen = u64map_get(&scope->tasks, (uint32_t)tid);

	return seen != U64MAP_NONE && (seen & (SCOPE_BESIDE_IDLE | SCOPE_MISSED)) == SCOPE_MISSED;
}

/* A task is seen that had left a CPU unseen before. */
static int note_return(struct sched_scope *scope, int32_t tid)
{
	const uint32_t seen = u64map_get(&scope->tasks, (uint32_t)tid);

	return seen != U64MAP_NONE && seen & SCOPE_LEFT_UNSEEN ? note(scope, tid, SCOPE_MISSED) : 0;
}

/* The facts that a switch tells by itself, and whether it fits the one before it on its CPU. */
static int note_switches(struct sched_scope *scope, const struct scope_switch *switches, size_t n,
			 struct u64map *on_cpu)
{
	size_t missed = 0;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct scope_switch *s = &switches[i];
		const uint32_t on = u64map_get(on_cpu, (uint32_t)s->cpu);

		if (s->prev < 0) {
			r = u64map_set(on_cpu, (uint32_t)s->cpu, U64MAP_NONE);
			continue;
		}
		r = note_return(scope, s->prev);
		if (r == 0)
			r = note_return(scope, s->next);
		if (r == 0 && on != U64MAP_NONE && on != (uint32_t)s->prev) {
			missed++;
			r = note(scope, (int32_t)on, SCOPE_LEFT_UNSEEN);
			if (r == 0)
				r = note(scope, s->prev, SCOPE_MISSED);
		}
		if (r == 0 && s->next == 0)
			r = note(scope, s->prev, SCOPE_BESIDE_IDLE);
		if (r == 0 && s->prev == 0)
			r = note(scope, s->next, SCOPE_BESIDE_IDLE);
		if (r == 0)
			r = u64map_set(on_cpu, (uint32_t)s->cpu, (uint32_t)s->next);
	}
	scope->some = missed && missed >= n / SCHED_SOME_SHARE;
	return r;
}

int sched_scope_find(const struct scope_switch *switches, size_t n, struct sched_scope *out)
{
	struct u64map on_cpu = { 0 };
	int r;

	*out = (struct sched_scope){ 0 };
	r = note_switches(out, switches, n, &on_cpu);
	u64map_free(&on_cpu);
	for (size_t i = 0; i < n && r == 0 && out->some; i++) {
		const struct scope_switch *s = &switches[i];

		if (s->prev <= 0 || s->next <= 0)
			continue;
		if (was_not_chosen(out, s->prev))
			r = note(out, s->next, SCOPE_BESIDE_MISSED);
		if (r == 0 && was_not_chosen(out, s->next))
			r = note(out, s->prev, SCOPE_BESIDE_MISSED);
	}
	if (r < 0)
		sched_scope_free(out);
	return r;
}

struct switch_list {
	VEC(struct scope_switch) at;
	const struct tracefmt_event *format;
	const struct sonde_tracepoint_field *prev, *next;
	uint32_t evsel;
};

static int take(struct switch_list *l, const struct sonde_event *ev, struct sonde_bytes raw)
{
	uint64_t prev = 0, next = 0;

	if (ev->type == PERF_RECORD_LOST)
		return vec_push(&l->at, ((struct scope_switch){ ev->cpu, -1, -1 }));
	if (ev->kind != SONDE_KIND_SAMPLE || !ev->evsel || ev->evsel->index != l->evsel || ev->cpu < 0 ||
	    !tracefmt_u64(l->format, l->prev, raw, &prev) || !tracefmt_u64(l->format, l->next, raw, &next))
		return 0;
	return vec_push(&l->at, ((struct scope_switch){ ev->cpu, (int32_t)prev, (int32_t)next }));
}

static int read_switches(struct reader *r, struct walk *walk, struct switch_list *l, struct sonde_error *err)
{
	struct loaded_event ev;
	struct record_ref ref;
	struct sample sample;
	int n;

	while ((n = r->ops->walk_next(walk, &ref, err)) > 0 && l->at.n < SWITCHES_MOST) {
		r->ops->load(r, &ref, &ev);
		sample.raw = (struct sonde_bytes){ 0 };
		if (ev.pub.kind == SONDE_KIND_SAMPLE)
			event_sample(&ev.pub, &sample);
		if (take(l, &ev.pub, sample.raw) < 0)
			return err_nomem(err);
	}
	return n < 0 ? n : 0;
}

/* The evsel of the first sched_switch that the trace describes; NULL: it has none. */
static const struct sonde_evsel *switch_of(const struct reader *r, const struct tracefmt *formats,
					   struct switch_list *l)
{
	l->format = formats ? tracefmt_event_named(formats, "sched:sched_switch") : NULL;
	if (!l->format)
		return NULL;
	l->prev = tracefmt_field(l->format, "prev_pid");
	l->next = tracefmt_field(l->format, "next_pid");
	for (size_t i = 0; l->prev && l->next && i < r->evsels.n; i++)
		if (strcmp(r->evsels.at[i]->name, l->format->full_name) == 0)
			return r->evsels.at[i];
	return NULL;
}

int sched_scope_of(struct reader *r, const struct tracefmt *formats, struct sched_scope *out, struct sonde_error *err)
{
	struct switch_list list = { 0 };
	const struct sonde_evsel *evsel = switch_of(r, formats, &list);
	struct walk *walk;
	int n;

	*out = (struct sched_scope){ 0 };
	if (!evsel || strcmp(r->info.format, "trace.dat") != 0)
		return 0;
	list.evsel = evsel->index;
	n = r->ops->walk_new(r, &walk, err);
	if (n < 0)
		return n;
	n = read_switches(r, walk, &list, err);
	r->ops->walk_free(walk);
	if (n == 0 && sched_scope_find(list.at.at, list.at.n, out) < 0)
		n = err_nomem(err);
	vec_free(&list.at);
	return n;
}

void sched_scope_free(struct sched_scope *scope)
{
	u64map_free(&scope->tasks);
}
