/* SPDX-License-Identifier: MIT */
#include "cli/stat/events.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/base/event_error.h"
#include "cli/base/message.h"

struct sonde_stat *stat_new(bool no_rates, bool keep_runs)
{
	const struct stat_words *w = &stat_words;
	struct sonde_stat_opts opts = {
		.sz = sizeof(opts), .by = w->by, .cache_level = w->cache_level, .of_cpus = w->all_cpus || w->cpus,
		.percore_cpus = w->percore_cpus, .no_scale = w->no_scale, .no_thresholds = w->no_threshold,
		.no_rates = no_rates, .keep_runs = keep_runs, .detail = w->detail, .pmu = w->pmu,
		.sysfs = getenv("SYSFS_PATH"),
	};
	struct sonde_stat *s = sonde_stat_new(&opts);

	if (!s)
		say_out_of_memory();
	return s;
}

static int add(struct sonde_stat *s, enum sonde_stat_added what, const char *text)
{
	const struct sonde_error *e = sonde_stat_error(s);

	if (sonde_stat_add(s, what, text) == 0)
		return 0;
	switch (what) {
	case SONDE_STAT_EVENT:
		return say_bad_event(text, e);
	case SONDE_STAT_FILTER:
		return say_usage("--filter: %s", e->text);
	case SONDE_STAT_EVENT_FILE:
		return say_error(text, e);
	default:
		return say_error(NULL, e);
	}
}

static int add_requests(struct sonde_stat *s)
{
	static const enum sonde_stat_added kinds[] = {
		[STAT_REQUEST_EVENT] = SONDE_STAT_EVENT, [STAT_REQUEST_PFM] = SONDE_STAT_PFM_EVENT,
		[STAT_REQUEST_FILTER] = SONDE_STAT_FILTER,
	};
	int r = 0;

	for (size_t i = 0; !r && i < stat_words.nr_requests; i++)
		r = add(s, kinds[stat_words.requests[i].kind], stat_words.requests[i].text);
	return r;
}

static int unknown_metric(struct sonde_stat *s, const char *word)
{
	const struct sonde_stat_metric *m;
	struct strings known = { 0 };
	int r = 0;

	for (size_t i = 0; !r && (m = sonde_stat_metric_at(s, i)); i++)
		r = list_add(&known, m->name);
	if (!r && list_add(&known, NULL) == 0)
		say_unknown("metric", word, known.at);
	free(known.at);
	return 2;
}

/* The groups of metrics that have options of their own. */
static int add_group(struct sonde_stat *s, const char *group)
{
	if (sonde_stat_add(s, SONDE_STAT_METRIC_GROUP, group) == 0)
		return 0;
	if (sonde_stat_error(s)->code != SONDE_MISSING)
		return say_error(NULL, sonde_stat_error(s));
	say("there are no metrics of the group %s: name the file of your processor's metrics by --event-file", group);
	return 1;
}

static int add_metrics(struct sonde_stat *s)
{
	char level[32];
	int r = 0;

	for (size_t i = 0; !r && i < stat_words.metrics.n; i++) {
		r = sonde_stat_add(s, SONDE_STAT_METRIC, stat_words.metrics.at[i]);
		if (r == -SONDE_MISSING)
			return unknown_metric(s, stat_words.metrics.at[i]);
	}
	if (r < 0)
		return sonde_stat_error(s)->code == SONDE_UNSUPPORTED ? say_usage("%s", sonde_stat_error(s)->text) :
									say_error(NULL, sonde_stat_error(s));
	if (stat_words.transaction)
		r = add_group(s, "transaction");
	snprintf(level, sizeof(level), "TopdownL%u", stat_words.topdown_level ? (unsigned)stat_words.topdown_level : 1);
	return r || !stat_words.topdown ? r : add_group(s, level);
}

static int add_all(struct sonde_stat *s)
{
	bool chosen = stat_words.nr_requests || stat_words.metrics.n || stat_words.transaction || stat_words.topdown;
	int r;

	if (stat_words.null_run)
		return 0;
	if (!chosen)
		return add(s, SONDE_STAT_DEFAULTS, NULL);
	r = add_requests(s);
	return r ? r : add_metrics(s);
}

static int set_cgroup(struct sonde_stat *s, size_t event, const char *cgroup)
{
	if (!*cgroup || sonde_stat_set_cgroup(s, event, cgroup) == 0)
		return 0;
	return say_usage("%s: %s", stat_words.each_cgroup.n ? "--for-each-cgroup" : "-G", sonde_stat_error(s)->text);
}

static int add_for_each_cgroup(struct sonde_stat *s)
{
	const struct strings *each = &stat_words.each_cgroup;
	int r = 0;

	for (size_t k = 0; !r && k < each->n; k++) {
		size_t first = sonde_counter_count(sonde_stat_counter(s));

		r = add_all(s);
		for (size_t i = first; !r && i < sonde_counter_count(sonde_stat_counter(s)); i++)
			r = set_cgroup(s, i, each->at[k]);
	}
	return r;
}

int stat_take_events(struct sonde_stat *s)
{
	const struct strings *files = &stat_words.event_files, *cgroups = &stat_words.cgroups;
	size_t n;
	int r = 0;

	if (sonde_stat_error(s)->code)
		return say_usage("%s", sonde_stat_error(s)->text);
	for (size_t i = 0; !r && i < files->n; i++)
		r = add(s, SONDE_STAT_EVENT_FILE, files->at[i]);
	if (!r)
		r = stat_words.each_cgroup.n ? add_for_each_cgroup(s) : add_all(s);
	n = sonde_counter_count(sonde_stat_counter(s));
	if (!r && cgroups->n > 1 && cgroups->n > n)
		return say_usage("-G names %zu cgroups for %zu events", cgroups->n, n);
	for (size_t i = 0; !r && cgroups->n && i < n; i++)
		if (cgroups->n == 1 || i < cgroups->n)
			r = set_cgroup(s, i, cgroups->at[cgroups->n == 1 ? 0 : i]);
	return r;
}
