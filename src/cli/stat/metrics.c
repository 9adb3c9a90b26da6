/* SPDX-License-Identifier: MIT */
#include "cli/stat/metrics.h"

#include <math.h>
#include <sonde/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/lists.h"
#include "cli/stat/machine.h"
#include "cli/stat/metric_expr.h"
#include "cli/stat/words.h"

#define NESTED_MAX 16          /* metrics in metrics; each may ask for others */
#define EVALUATIONS_MAX 10000  /* of nested metrics for one value */
#define NS 1e-9

static struct sonde_catalog *catalog;

/* One walk over an expression and the metrics in it. */
struct metric_walk {
	const struct stat_table *table;      /* to find values; NULL: the events are gathered */
	const struct stat_row *row;
	size_t key;
	struct strings *events;
	int depth, evaluations;
	const char *wrong;                   /* the metric whose expression cannot be read */
	bool no_memory;
};

static const struct sonde_catalog_event *find(const char *name)
{
	for (size_t i = 0; catalog && i < sonde_catalog_count(catalog); i++) {
		const struct sonde_catalog_event *e = sonde_catalog_at(catalog, i);

		if (e->kind == SONDE_CATALOG_METRIC && e->metric_expr && !strcasecmp(e->name, name))
			return e;
	}
	return NULL;
}

int stat_metrics_load(const struct strings *files)
{
	struct sonde_catalog_opts opts = { .sz = sizeof(opts), .event_files = files->at, .nr_event_files = files->n };

	if (catalog || files->n == 0)
		return 0;
	catalog = sonde_catalog_new();
	if (!catalog)
		return say_out_of_memory();
	return sonde_catalog_open(catalog, &opts) < 0 ? say_error(NULL, sonde_catalog_error(catalog)) : 0;
}

bool stat_metric_is_known(const char *name)
{
	return find(name);
}

/* "TopdownL1;Mem": the groups of a metric */
static bool is_in_group(const char *groups, const char *group)
{
	size_t n = strlen(group);

	while (groups && *groups) {
		size_t len = strcspn(groups, ";");

		if (len == n && !strncasecmp(groups, group, n))
			return true;
		groups += len + (groups[len] == ';');
	}
	return false;
}

const char *stat_metric_of_group(const char *group, size_t i)
{
	for (size_t k = 0; catalog && k < sonde_catalog_count(catalog); k++) {
		const struct sonde_catalog_event *e = sonde_catalog_at(catalog, k);

		if (e->kind == SONDE_CATALOG_METRIC && e->metric_expr && is_in_group(e->metric_group, group) &&
		    i-- == 0)
			return e->name;
	}
	return NULL;
}

const char *stat_metric_at(size_t i)
{
	for (size_t k = 0; catalog && k < sonde_catalog_count(catalog); k++) {
		const struct sonde_catalog_event *e = sonde_catalog_at(catalog, k);

		if (e->kind == SONDE_CATALOG_METRIC && e->metric_expr && i-- == 0)
			return e->name;
	}
	return NULL;
}

/* ---- names in expressions ---- */

static double evaluate(struct metric_walk *w, const struct sonde_catalog_event *metric);

static void gather(struct metric_walk *w, const char *name)
{
	char *copy;

	for (size_t i = 0; i < w->events->n; i++)
		if (!strcmp(w->events->at[i], name))
			return;
	copy = strdup(name);
	if (!copy || list_add(w->events, copy) < 0)
		w->no_memory = true;
}

static double value_of(void *ctx, const char *name)
{
	struct metric_walk *w = ctx;
	const struct sonde_catalog_event *metric = find(name);
	const struct stat_cell *cell;

	if (metric)
		return evaluate(w, metric);
	if (!strcmp(name, "duration_time"))
		return w->table ? w->table->seconds : 1;
	if (!w->table) {
		gather(w, name);
		return 1;
	}
	cell = table_find(w->table, w->row, w->key, name);
	if (!cell)
		return NAN;
	/* these are seconds in expressions */
	return strcmp(name, "user_time") && strcmp(name, "system_time") ? cell->value.mean : cell->value.mean * NS;
}

static bool has_event(void *ctx, const char *name)
{
	struct metric_walk *w = ctx;

	return !w->table || table_find(w->table, w->row, w->key, name);
}

static double literal(void *ctx, const char *name)
{
	(void)ctx;
	if (!strcmp(name, "target_cpu"))
		return stat_words.all_cpus || stat_words.cpus;
	if (!strcmp(name, "core_wide"))
		return 0;
	return machine_number(name);
}

/* A metric that is made of itself, or of very many others, has no value. @expr: of the metric, or of its threshold */
static double evaluate_text(struct metric_walk *w, const struct sonde_catalog_event *metric, const char *expr)
{
	const struct metric_env env = { value_of, has_event, literal, w };
	const char *bad;
	double v = NAN;

	if (w->depth >= NESTED_MAX || w->evaluations++ >= EVALUATIONS_MAX) {
		w->wrong = metric->name;
		return NAN;
	}
	w->depth++;
	if (!metric_eval(expr, &env, &v, &bad))
		w->wrong = metric->name;
	w->depth--;
	return v;
}

static double evaluate(struct metric_walk *w, const struct sonde_catalog_event *metric)
{
	return evaluate_text(w, metric, metric->metric_expr);
}

int stat_metric_events(const char *name, struct strings *out)
{
	const struct sonde_catalog_event *metric = find(name);
	struct metric_walk w = { .events = out };

	evaluate(&w, metric);
	if (metric->metric_threshold && !stat_words.no_threshold && !w.wrong)
		evaluate_text(&w, metric, metric->metric_threshold);
	if (w.no_memory)
		return say_out_of_memory();
	if (w.wrong) {
		say("the expression of the metric '%s' cannot be read", w.wrong);
		return 1;
	}
	return 0;
}

static enum stat_threshold judge(struct metric_walk *w, const struct sonde_catalog_event *metric)
{
	double v;

	if (!metric->metric_threshold || stat_words.no_threshold)
		return STAT_NO_THRESHOLD;
	v = evaluate_text(w, metric, metric->metric_threshold);
	return isnan(v) ? STAT_NO_THRESHOLD : v != 0 ? STAT_BAD : STAT_GOOD;
}

bool stat_metric_value(const char *name, const struct stat_table *t, const struct stat_row *row, size_t key,
		       struct stat_derived *out)
{
	static char text[256];
	const struct sonde_catalog_event *metric = find(name);
	struct metric_walk w = { .table = t, .row = row, .key = key };
	const char *scale_unit = metric && metric->scale_unit ? metric->scale_unit : "";
	char *end;
	double factor;

	if (!metric)
		return false;
	/* "100%", "1e-9GB" */
	factor = strtod(scale_unit, &end);
	if (end == scale_unit)
		factor = 1;
	out->value = evaluate(&w, metric) * factor;
	out->threshold = judge(&w, metric);
	snprintf(text, sizeof(text), "%.60s%s%.180s", end, *end ? "  " : "", metric->name);
	out->unit = text;
	return true;
}

void stat_metrics_free(void)
{
	sonde_catalog_free(catalog);
	catalog = NULL;
}
