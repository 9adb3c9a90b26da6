/* SPDX-License-Identifier: MIT */
#include "api/describe/dat_counts.h"

#include <string.h>

#include <sonde/tracepoint.h>

#include "api/trace/trace.h"

static int add_cpu(struct event_counts *c, int32_t cpu)
{
	uint32_t i = c->last_cpu < c->cpus.n && c->cpus.at[c->last_cpu].cpu == cpu ? c->last_cpu :
		u64map_get(&c->cpu_index, (uint32_t)cpu);

	if (i == U64MAP_NONE) {
		i = (uint32_t)c->cpus.n;
		if (vec_push(&c->cpus, ((struct cpu_count){ .cpu = cpu })) < 0 ||
		    u64map_set(&c->cpu_index, (uint32_t)cpu, i) < 0)
			return -SONDE_NOMEM;
	}
	c->cpus.at[i].n++;
	c->last_cpu = i;
	return 0;
}

static void add_lost(struct event_counts *c, const struct sonde_event *ev)
{
	struct sonde_lost lost;

	if (event_lost(ev, &lost) < 0)
		return;
	if (lost.lost == SONDE_NONE)
		c->losses_unknown++;
	else
		c->lost += lost.lost;
}

static bool is_event(const struct sonde_event *ev, const char *name)
{
	return ev->evsel && strcmp(ev->evsel->name, name) == 0;
}

static uint64_t function_of(struct sonde_trace *t, const struct sonde_event *ev)
{
	const struct sonde_tracepoint *tp = sonde_trace_tracepoint(t, ev->evsel);
	const struct sonde_tracepoint_field *func = tp ? sonde_tracepoint_field(tp, "func") : NULL;
	uint64_t v;

	if (!func || !sonde_tracepoint_u64(tp, func, &(struct sonde_bytes){ ev->raw, ev->raw_size }, &v))
		return SONDE_NONE;
	return v;
}

/*
 * A function's exit directly after its entry. trace-cmd report shows both as one line, so they count as one event, the
 * entry.
 */
static bool is_leaf_exit(struct event_counts *c, struct sonde_trace *t, const struct sonde_event *ev)
{
	const struct sonde_evsel *entry = c->entry;

	if (entry && ev->evsel && ev->evsel->buffer != entry->buffer)
		return false;
	c->entry = NULL;
	if (is_event(ev, "ftrace:funcgraph_entry")) {
		c->entry = ev->evsel;
		c->entry_pid = ev->pid;
		c->entry_func = function_of(t, ev);
		return false;
	}
	return entry && is_event(ev, "ftrace:funcgraph_exit") && ev->pid == c->entry_pid &&
		function_of(t, ev) == c->entry_func;
}

/* Events that the file does not describe are counted apart: trace-cmd shows neither their name nor their CPU. */
static int add_event(struct event_counts *c, struct sonde_trace *t, const struct sonde_event *ev)
{
	if (ev->kind == SONDE_KIND_LOSS)
		add_lost(c, ev);
	c->lines += ev->type == SONDE_TYPE_TEXT;
	if (ev->kind != SONDE_KIND_SAMPLE)
		return 0;
	if (is_leaf_exit(c, t, ev)) {
		c->leaf_exits++;
		return 0;
	}
	if (!ev->evsel) {
		c->unknown++;
		return 0;
	}
	c->events++;
	while (c->evsels.n <= ev->evsel->index)
		if (vec_push(&c->evsels, 0) < 0)
			return -SONDE_NOMEM;
	c->evsels.at[ev->evsel->index]++;
	c->time_min = ev->time < c->time_min ? ev->time : c->time_min;
	c->time_max = c->time_max == SONDE_NONE || ev->time > c->time_max ? ev->time : c->time_max;
	return add_cpu(c, ev->cpu);
}

int event_counts_make(struct event_counts *c, struct sonde_trace *t, struct sonde_error *err)
{
	const struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;
	int r;

	*c = (struct event_counts){ .time_min = SONDE_NONE, .time_max = SONDE_NONE };
	if (!it)
		return err_nomem(err);
	while ((r = sonde_iter_next(it, &ev)) > 0)
		if (add_event(c, t, ev) < 0) {
			r = err_nomem(err);
			break;
		}
	sonde_iter_free(it);
	if (r < 0 && err && err->code == 0)
		*err = *sonde_trace_error(t);
	return r;
}

void event_counts_free(struct event_counts *c)
{
	vec_free(&c->evsels);
	vec_free(&c->cpus);
	u64map_free(&c->cpu_index);
}
