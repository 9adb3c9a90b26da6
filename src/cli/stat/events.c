/* SPDX-License-Identifier: MIT */
#include "cli/stat/events.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/event_error.h"
#include "cli/base/message.h"
#include "cli/stat/derived.h"
#include "cli/stat/machine.h"
#include "cli/stat/metrics.h"

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

static int add_row(struct stat_table *t, const struct stat_row *row)
{
	struct stat_row *more = realloc(t->rows, (t->nr_rows + 1) * sizeof(*more));

	if (!more)
		return say_out_of_memory();
	t->rows = more;
	t->rows[t->nr_rows++] = *row;
	return 0;
}

/* Rows for the events from @first on. */
static int add_rows(struct sonde_counter *c, struct stat_table *t, size_t first, bool hidden)
{
	for (size_t i = first; i < sonde_counter_count(c); i++) {
		struct stat_row row = { .event = i, .scale = 1, .hidden = hidden };

		if (add_row(t, &row))
			return 1;
	}
	return 0;
}

static int add_counted(struct sonde_counter *c, struct stat_table *t, const char *text, bool hidden)
{
	size_t first = sonde_counter_count(c);

	if (sonde_counter_add_event(c, text) < 0)
		return say_bad_event(text, sonde_counter_error(c));
	return add_rows(c, t, first, hidden);
}

static int add_pfm(struct sonde_counter *c, struct stat_table *t, const char *text)
{
	size_t first = sonde_counter_count(c);

	if (sonde_counter_add_pfm_events(c, text) < 0)
		return say_error(NULL, sonde_counter_error(c));
	return add_rows(c, t, first, false);
}

static int add_defaults(struct sonde_counter *c, struct stat_table *t)
{
	bool cpus = stat_words.all_cpus || stat_words.cpus;
	int r = add_counted(c, t, cpus ? default_events_of_cpus : default_events, false);

	for (size_t i = 0; !r && i < sizeof(hardware_events) / sizeof(hardware_events[0]); i++)
		r = add_counted(c, t, hardware_events[i], i > 0);
	for (uint32_t i = 0; !r && i < stat_words.detail && i < 3; i++)
		r = add_counted(c, t, detailed_events[i], true);
	return r;
}

static struct stat_row *row_of(const struct sonde_counter *c, struct stat_table *t, const char *name)
{
	for (size_t i = 0; i < t->nr_rows; i++)
		if (!strcmp(sonde_counter_event_at(c, t->rows[i].event)->name, name) ||
		    (t->rows[i].asked && !strcmp(t->rows[i].asked, name)))
			return &t->rows[i];
	return NULL;
}

/* The events of a metric that perf has built in. An event that two metrics need is counted once. */
static int add_builtin(struct sonde_counter *c, struct stat_table *t, const char *events)
{
	while (*events) {
		char name[64] = "";
		size_t n = strcspn(events, ",");

		memcpy(name, events, n < sizeof(name) ? n : sizeof(name) - 1);
		if (!row_of(c, t, name) && add_counted(c, t, name, false))
			return 1;
		events += n + (events[n] == ',');
	}
	return 0;
}

static int add_asked(struct sonde_counter *c, struct stat_table *t, const char *event)
{
	size_t first = t->nr_rows;

	if (row_of(c, t, event))
		return 0;
	if (add_counted(c, t, event, false))
		return 1;
	for (size_t i = first; i < t->nr_rows; i++) {
		t->rows[i].asked = strdup(event);
		if (!t->rows[i].asked)
			return say_out_of_memory();
	}
	return 0;
}

/* The metric stands beside the first of its events. */
static int add_of_file(struct sonde_counter *c, struct stat_table *t, const char *metric)
{
	struct strings events = { 0 };
	struct stat_row *row = NULL;
	int r = stat_metric_events(metric, &events);

	for (size_t i = 0; !r && i < events.n; i++)
		r = add_asked(c, t, events.at[i]);
	if (!r && events.n > 0)
		row = row_of(c, t, events.at[0]);
	if (row && list_add(&row->metrics, metric) < 0)
		r = 1;
	for (size_t i = 0; i < events.n; i++)
		free((char *)events.at[i]);
	free(events.at);
	return r;
}

static int unknown_metric(const char *word)
{
	struct strings known = { 0 };
	const char *name;
	int r = 0;

	for (size_t i = 0; !r && (name = stat_derived_at(i)); i++)
		r = list_add(&known, name);
	for (size_t i = 0; !r && (name = stat_metric_at(i)); i++)
		r = list_add(&known, name);
	if (!r && list_add(&known, NULL) == 0)
		say_unknown("metric", word, known.at);
	free(known.at);
	return 2;
}

static int add_group(struct sonde_counter *c, struct stat_table *t, const char *group)
{
	const char *metric;
	int r = 0;

	for (size_t i = 0; !r && (metric = stat_metric_of_group(group, i)); i++)
		r = add_of_file(c, t, metric);
	return r;
}

static int add_metric(struct sonde_counter *c, struct stat_table *t, const char *word)
{
	const char *events = stat_derived_events(word);

	if (stat_metric_is_known(word))
		return add_of_file(c, t, word);
	if (events)
		return add_builtin(c, t, events);
	return stat_metric_of_group(word, 0) ? add_group(c, t, word) : unknown_metric(word);
}

/* The groups of metrics that have options of their own. */
static int add_groups_of_options(struct sonde_counter *c, struct stat_table *t)
{
	char level[32] = "";
	const char *const groups[] = { stat_words.transaction ? "transaction" : NULL,
				       stat_words.topdown ? level : NULL };
	int r = 0;

	snprintf(level, sizeof(level), "TopdownL%u", stat_words.topdown_level ? (unsigned)stat_words.topdown_level : 1);
	for (size_t i = 0; !r && i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (!groups[i])
			continue;
		if (!stat_metric_of_group(groups[i], 0)) {
			say("there are no metrics of the group %s: name the file of your processor's metrics by "
			    "--event-file", groups[i]);
			return 1;
		}
		r = add_group(c, t, groups[i]);
	}
	return r;
}

static int add_metrics(struct sonde_counter *c, struct stat_table *t)
{
	int r = stat_metrics_load(&stat_words.event_files);

	for (size_t i = 0; !r && i < stat_words.metrics.n; i++)
		r = add_metric(c, t, stat_words.metrics.at[i]);
	return r ? r : add_groups_of_options(c, t);
}

static int add_requests(struct sonde_counter *c, struct stat_table *t)
{
	for (size_t i = 0; i < stat_words.nr_requests; i++) {
		const struct stat_request *w = &stat_words.requests[i];

		if (w->kind != STAT_REQUEST_FILTER) {
			int r = w->kind == STAT_REQUEST_PFM ? add_pfm(c, t, w->text) :
							      add_counted(c, t, w->text, false);

			if (r)
				return r;
		} else if (sonde_counter_add_filter(c, w->text) < 0) {
			return say_usage("--filter: %s", sonde_counter_error(c)->text);
		}
	}
	return add_metrics(c, t);
}

static int add_all(struct sonde_counter *c, struct stat_table *t)
{
	bool chosen = stat_words.nr_requests || stat_words.metrics.n || stat_words.transaction || stat_words.topdown;

	return stat_words.null_run ? 0 : chosen ? add_requests(c, t) : add_defaults(c, t);
}

static int set_cgroup(struct sonde_counter *c, struct stat_row *row, const char *cgroup)
{
	if (!*cgroup || sonde_counter_event_at(c, row->event)->attr->type == SONDE_COUNTER_TYPE_TOOL)
		return 0;
	row->cgroup = cgroup;
	if (sonde_counter_set_cgroup(c, row->event, cgroup) == 0)
		return 0;
	return say_usage("%s: %s", stat_words.each_cgroup.n ? "--for-each-cgroup" : "-G",
			 sonde_counter_error(c)->text);
}

int stat_take_events(struct sonde_counter *c, struct stat_table *t)
{
	const struct strings *each = &stat_words.each_cgroup, *cgroups = &stat_words.cgroups;
	int r = 0;

	if (stat_words.pmu && sonde_counter_set_pmu(c, stat_words.pmu) < 0)
		return say_usage("%s", sonde_counter_error(c)->text);
	for (size_t i = 0; i < stat_words.event_files.n; i++)
		if (sonde_counter_add_event_file(c, stat_words.event_files.at[i]) < 0)
			return say_error(stat_words.event_files.at[i], sonde_counter_error(c));
	if (!each->n)
		r = add_all(c, t);
	for (size_t k = 0; !r && k < each->n; k++) {
		size_t first = t->nr_rows;

		r = add_all(c, t);
		for (size_t i = first; !r && i < t->nr_rows; i++)
			r = set_cgroup(c, &t->rows[i], each->at[k]);
	}
	if (!r && cgroups->n > 1 && cgroups->n > t->nr_rows)
		return say_usage("-G names %zu cgroups for %zu events", cgroups->n, t->nr_rows);
	for (size_t i = 0; !r && cgroups->n && i < t->nr_rows; i++)
		if (cgroups->n == 1 || i < cgroups->n)
			r = set_cgroup(c, &t->rows[i], cgroups->at[cgroups->n == 1 ? 0 : i]);
	return r;
}

int stat_describe_rows(const struct sonde_counter *c, struct stat_table *t)
{
	for (size_t i = 0; i < t->nr_rows; i++) {
		struct stat_row *row = &t->rows[i];
		const struct sonde_counter_event *e = sonde_counter_event_at(c, row->event);
		const char *unit;

		if (e->attr->type == SONDE_COUNTER_TYPE_TOOL)
			row->tool = e->attr->config < STAT_MACHINE ? (enum stat_tool)e->attr->config : STAT_MACHINE;
		row->refused = row->tool == STAT_MACHINE ? isnan(machine_number(e->name)) : e->refusal && !row->tool;
		row->hidden = row->hidden && e->refusal;
		row->percore = e->percore && t->by == STAT_CPU && !e->refusal;
		row->is_clock = e->attr->type == PERF_TYPE_SOFTWARE && e->attr->config <= PERF_COUNT_SW_TASK_CLOCK;
		row->scale = row->is_clock ? 1e-6 : e->scale;
		unit = row->is_clock ? "msec" : e->unit ? e->unit : "";
		row->name = strdup(e->name);
		row->unit = strdup(unit);
		if (!row->name || !row->unit)
			return say_out_of_memory();
		if (row->refused && stat_words.verbose)
			say("%s", e->refusal);
	}
	return 0;
}
