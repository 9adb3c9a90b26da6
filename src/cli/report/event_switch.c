/* SPDX-License-Identifier: MIT */
#include "cli/report/event_switch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/lists.h"
#include "cli/base/message.h"

struct event_switch event_switch;

static bool has_event(const struct sonde_trace *t, const char *name)
{
	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++)
		if (strcmp(sonde_trace_evsel_at(t, i)->name, name) == 0)
			return true;
	return false;
}

int event_switch_check(const struct sonde_trace *t)
{
	const char *wrong = event_switch.on && !has_event(t, event_switch.on) ? event_switch.on :
			    event_switch.off && !has_event(t, event_switch.off) ? event_switch.off : NULL;
	struct strings known = { 0 };
	int status = 0;

	for (size_t i = 0; wrong && i < sonde_trace_evsel_count(t) && status == 0; i++)
		status = list_add(&known, sonde_trace_evsel_at(t, i)->name) < 0;
	if (wrong && status == 0)
		status = list_add(&known, NULL) < 0 ? 1 : say_unknown("event", wrong, known.at);
	free(known.at);
	return status;
}

/* Whether a sample is taken. @on: samples are taken at present */
static bool takes(bool *on, const struct sonde_evsel *evsel)
{
	const char *turning = *on ? event_switch.off : event_switch.on;

	if (!turning || !evsel || strcmp(evsel->name, turning) != 0)
		return *on;
	*on = !*on;
	return event_switch.shown;
}

static bool is_among(const int32_t *list, size_t n, int32_t value)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return n == 0;
}

static bool is_wanted(const struct sonde_query *q, const struct sonde_event *ev)
{
	return is_among(q->cpus, q->nr_cpus, ev->cpu) && is_among(q->pids, q->nr_pids, ev->pid) &&
	       is_among(q->tids, q->nr_tids, ev->tid);
}

int event_switch_add(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query)
{
	struct sonde_query all = *query;
	struct sonde_iter *it;
	const struct sonde_event *ev;
	bool on = !event_switch.on;
	int r = sonde_profile_begin(p, t);

	all.order = SONDE_ORDER_TIME;
	all.nr_cpus = all.nr_pids = all.nr_tids = 0;
	it = r == 0 ? sonde_iter_new(t, &all) : NULL;
	if (!it)
		return r < 0 ? r : -SONDE_NOMEM;
	while ((r = sonde_iter_next(it, &ev)) > 0) {
		if (ev->kind == SONDE_KIND_SAMPLE && (!takes(&on, ev->evsel) || !is_wanted(query, ev)))
			continue;
		r = sonde_profile_feed(p, t, ev);
		if (r < 0)
			break;
	}
	sonde_iter_free(it);
	if (sonde_profile_settle(p) < 0)
		return -SONDE_NOMEM;
	return r;
}
