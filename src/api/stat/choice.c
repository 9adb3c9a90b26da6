/* SPDX-License-Identifier: MIT */
#include "api/stat/choice.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "stat/derived.h"

/* In the order of perf 7. Where a machine lacks the hardware events, the first of them stands for all. */
static const char default_events[] = "context-switches,cpu-migrations,page-faults,task-clock";
static const char default_events_of_cpus[] = "context-switches,cpu-clock,cpu-migrations,page-faults";
static const char *const hardware_events[] = {
	"cpu-cycles", "instructions", "branches", "branch-misses", "stalled-cycles-frontend", "stalled-cycles-backend",
};
static const char *const detailed_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static int counter_failure(struct sonde_stat *s)
{
	s->err = *sonde_counter_error(s->counter);
	return -(int)s->err.code;
}

/* ---- requests to the counter ---- */

static int send(struct sonde_counter *c, const struct counter_request *r)
{
	switch (r->kind) {
	case REQUEST_EVENT:
		return sonde_counter_add_event(c, r->text);
	case REQUEST_PFM_EVENT:
		return sonde_counter_add_pfm_events(c, r->text);
	case REQUEST_FILTER:
		return sonde_counter_add_filter(c, r->text);
	case REQUEST_FILE:
		return sonde_counter_add_event_file(c, r->text);
	default:
		return sonde_counter_set_cgroup(c, r->event, r->text);
	}
}

/* The text of the request that is kept; NULL after a failure. */
static const char *ask(struct sonde_stat *s, enum counter_request_kind kind, const char *text, size_t event)
{
	const struct counter_request r = { kind, arena_strndup(&s->arena, text, strlen(text)), event };

	if (!r.text || vec_reserve(&s->requests, 1) < 0) {
		err_nomem(&s->err);
		return NULL;
	}
	if (send(s->counter, &r) < 0) {
		counter_failure(s);
		return NULL;
	}
	s->requests.at[s->requests.n++] = r;
	return r.text;
}

int choice_renew(struct sonde_stat *s)
{
	sonde_counter_free(s->counter);
	s->counter = sonde_counter_new();
	if (!s->counter)
		return err_nomem(&s->err);
	if (s->opts.pmu && sonde_counter_set_pmu(s->counter, s->opts.pmu) < 0)
		return counter_failure(s);
	for (size_t i = 0; i < s->requests.n; i++)
		if (send(s->counter, &s->requests.at[i]) < 0)
			return counter_failure(s);
	return 0;
}

/* ---- events as rows ---- */

/* Events, with a row for each. */
static int add_events(struct sonde_stat *s, enum counter_request_kind kind, const char *text, bool hidden)
{
	const size_t first = sonde_counter_count(s->counter);

	if (!ask(s, kind, text, 0))
		return -(int)s->err.code;
	for (size_t i = first; i < sonde_counter_count(s->counter); i++)
		if (vec_push(&s->table.rows, ((struct stat_row){ .event = i, .scale = 1, .hidden = hidden })) < 0)
			return err_nomem(&s->err);
	return 0;
}

static int add_defaults(struct sonde_stat *s)
{
	int r = add_events(s, REQUEST_EVENT, s->opts.of_cpus ? default_events_of_cpus : default_events, false);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(hardware_events); i++)
		r = add_events(s, REQUEST_EVENT, hardware_events[i], i > 0);
	for (uint32_t i = 0; r == 0 && i < s->opts.detail && i < ARRAY_SIZE(detailed_events); i++)
		r = add_events(s, REQUEST_EVENT, detailed_events[i], true);
	return r;
}

static struct stat_row *row_of(const struct sonde_stat *s, const char *name)
{
	for (size_t i = 0; i < s->table.rows.n; i++) {
		struct stat_row *row = &s->table.rows.at[i];

		if (!strcmp(sonde_counter_event_at(s->counter, row->event)->name, name) ||
		    (row->asked && !strcmp(row->asked, name)))
			return row;
	}
	return NULL;
}

/* ---- metrics ---- */

/* The events of a metric of the library. An event that two metrics need is counted once. */
static int add_rate(struct sonde_stat *s, const struct sonde_stat_metric *rate)
{
	const char *events = rate->events;
	int r = 0;

	while (r == 0 && *events) {
		char name[64] = "";
		size_t n = strcspn(events, ",");

		memcpy(name, events, n < sizeof(name) ? n : sizeof(name) - 1);
		if (!row_of(s, name))
			r = add_events(s, REQUEST_EVENT, name, false);
		events += n + (events[n] == ',');
	}
	return r;
}

/* An event of a file's metric. */
static int add_asked(struct sonde_stat *s, const char *metric, const char *event)
{
	const size_t first = s->table.rows.n;
	char why[sizeof(s->err.text)];
	int r;

	if (row_of(s, event))
		return 0;
	r = add_events(s, REQUEST_EVENT, event, false);
	if (r < 0 && s->err.file_offset != SONDE_NONE) {
		snprintf(why, sizeof(why), "%s", s->err.text);
		err_clear(&s->err);
		return err_set(&s->err, SONDE_UNSUPPORTED, SONDE_NONE, "metric '%.60s': %s", metric, why);
	}
	for (size_t i = first; r == 0 && i < s->table.rows.n; i++) {
		s->table.rows.at[i].asked = strdup(event);
		if (!s->table.rows.at[i].asked)
			r = err_nomem(&s->err);
	}
	return r;
}

/* The metric stands beside the first of its events. */
static int add_of_file(struct sonde_stat *s, const char *metric)
{
	struct stat_names events = { 0 };
	struct stat_row *row;
	int r = stat_metric_events(&s->metrics, metric, &events, &s->err);

	for (size_t i = 0; r == 0 && i < events.n; i++)
		r = add_asked(s, metric, events.at[i]);
	row = r == 0 && events.n > 0 ? row_of(s, events.at[0]) : NULL;
	if (row && vec_push(&row->metrics, stat_metric_name(&s->metrics, metric)) < 0)
		r = err_nomem(&s->err);
	stat_names_free(&events);
	return r;
}

static int add_group(struct sonde_stat *s, const char *group)
{
	const char *metric;
	int r = 0;

	if (!stat_metric_of_group(&s->metrics, group, 0))
		return err_set(&s->err, SONDE_MISSING, SONDE_NONE, "there is no metric or group '%.100s'", group);
	for (size_t i = 0; r == 0 && (metric = stat_metric_of_group(&s->metrics, group, i)); i++)
		r = add_of_file(s, metric);
	return r;
}

static int add_metric(struct sonde_stat *s, const char *name)
{
	const struct sonde_stat_metric *rate;
	const char *copy = arena_strndup(&s->arena, name, strlen(name));

	if (!copy || vec_push(&s->table.chosen, copy) < 0)
		return err_nomem(&s->err);
	if (stat_metric_name(&s->metrics, name))
		return add_of_file(s, name);
	for (size_t i = 0; (rate = stat_rate_at(i)); i++)
		if (!strcmp(rate->name, name))
			return add_rate(s, rate);
	return add_group(s, name);
}

static int add_file(struct sonde_stat *s, const char *path)
{
	const char *kept = ask(s, REQUEST_FILE, path, 0);

	return kept ? stat_metrics_load(&s->metrics, kept, &s->err) : -(int)s->err.code;
}

/* ---- the public functions ---- */

/* Are events still chosen? */
static int check_choosing(struct sonde_stat *s)
{
	if (s->refused)
		return -SONDE_USAGE;
	err_clear(&s->err);
	if (s->opened || s->trace)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "events are chosen before the counter is opened");
	return 0;
}

int sonde_stat_add(struct sonde_stat *s, enum sonde_stat_added what, const char *text)
{
	int r = check_choosing(s);

	if (r < 0)
		return r;
	if (!text && what != SONDE_STAT_DEFAULTS)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "there is no text to add");
	switch (what) {
	case SONDE_STAT_EVENT:
		s->has_events = true;
		return add_events(s, REQUEST_EVENT, text, false);
	case SONDE_STAT_PFM_EVENT:
		s->has_events = true;
		return add_events(s, REQUEST_PFM_EVENT, text, false);
	case SONDE_STAT_FILTER:
		return ask(s, REQUEST_FILTER, text, 0) ? 0 : -(int)s->err.code;
	case SONDE_STAT_EVENT_FILE:
		return add_file(s, text);
	case SONDE_STAT_METRIC:
		s->has_metrics = true;
		return add_metric(s, text);
	case SONDE_STAT_METRIC_GROUP:
		s->has_groups = true;
		return add_group(s, text);
	case SONDE_STAT_DEFAULTS:
		return add_defaults(s);
	default:
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "%d is nothing that can be added", (int)what);
	}
}

static bool is_counted_here(const struct sonde_counter_event *e)
{
	return e->attr->type == SONDE_COUNTER_TYPE_TOOL;
}

int sonde_stat_set_cgroup(struct sonde_stat *s, size_t event, const char *path)
{
	const struct sonde_counter_event *e;
	const char *kept;
	int r = check_choosing(s);

	if (r < 0)
		return r;
	e = sonde_counter_event_at(s->counter, event);
	if (e && is_counted_here(e))
		return 0;
	kept = ask(s, REQUEST_CGROUP, path, event);
	if (!kept)
		return -(int)s->err.code;
	for (size_t i = 0; i < s->table.rows.n; i++)
		if (s->table.rows.at[i].event == event)
			s->table.rows.at[i].cgroup = kept;
	return 0;
}

const struct sonde_stat_metric *sonde_stat_metric_at(struct sonde_stat *s, size_t i)
{
	size_t rates = 0;

	while (stat_rate_at(rates) && rates < i)
		rates++;
	if (stat_rate_at(rates) || !s)
		return stat_rate_at(i);
	s->metric = (struct sonde_stat_metric){ stat_metric_at(&s->metrics, i - rates), NULL };
	return s->metric.name ? &s->metric : NULL;
}
