/* SPDX-License-Identifier: MIT */
#include "stat/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/plain_locale.h"
#include "stat/machine.h"
#include "stat/metric_expr.h"

#define NESTED_MAX 16          /* metrics in metrics; each may ask for others */
#define EVALUATIONS_MAX 10000  /* of nested metrics for one value */

/* One walk over an expression and the metrics in it. */
struct metric_walk {
	const struct stat_metrics *metrics;
	const struct stat_table *table;      /* to find values; NULL: the events are gathered */
	const struct stat_row *row;
	size_t key;
	struct stat_names *events;
	int depth, evaluations;
	const char *wrong;                   /* the metric whose expression cannot be read */
	bool no_memory;
};

static const struct vendor_event *find(const struct stat_metrics *m, const char *name)
{
	for (size_t i = 0; m && i < m->sorted.n; i++)
		if (!strcasecmp(m->sorted.at[i]->name, name))
			return m->sorted.at[i];
	return NULL;
}

static int by_topic(const void *a, const void *b)
{
	const struct vendor_event *const *x = a, *const *y = b;
	const char *topic = (*x)->topic ? (*x)->topic : "", *other = (*y)->topic ? (*y)->topic : "";
	int order = strcmp(topic, other);

	return order ? order : strcmp((*x)->name, (*y)->name);
}

int stat_metrics_load(struct stat_metrics *m, const char *path, struct sonde_error *err)
{
	int r = vendor_events_load(&m->files, path, err);

	m->sorted.n = 0;
	for (size_t i = 0; r == 0 && i < m->files.n; i++)
		if (m->files.at[i].metric_expr && vec_push(&m->sorted, &m->files.at[i]) < 0)
			r = err_nomem(err);
	if (m->sorted.n)
		qsort(m->sorted.at, m->sorted.n, sizeof(m->sorted.at[0]), by_topic);
	return r;
}

const char *stat_metric_name(const struct stat_metrics *m, const char *name)
{
	const struct vendor_event *metric = find(m, name);

	return metric ? metric->name : NULL;
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

const char *stat_metric_of_group(const struct stat_metrics *m, const char *group, size_t i)
{
	for (size_t k = 0; k < m->sorted.n; k++)
		if (is_in_group(m->sorted.at[k]->metric_group, group) && i-- == 0)
			return m->sorted.at[k]->name;
	return NULL;
}

const char *stat_metric_at(const struct stat_metrics *m, size_t i)
{
	return i < m->sorted.n ? m->sorted.at[i]->name : NULL;
}

/* ---- names in expressions ---- */

static double evaluate(struct metric_walk *w, const struct vendor_event *metric);

static void gather(struct metric_walk *w, const char *name)
{
	char *copy;

	for (size_t i = 0; i < w->events->n; i++)
		if (!strcmp(w->events->at[i], name))
			return;
	copy = strdup(name);
	if (copy && vec_push(w->events, copy) == 0)
		return;
	free(copy);
	w->no_memory = true;
}

static double value_of(void *ctx, const char *name)
{
	struct metric_walk *w = ctx;
	const struct vendor_event *metric = find(w->metrics, name);
	const struct stat_cell *cell;

	if (metric)
		return evaluate(w, metric);
	if (!strcmp(name, "duration_time"))
		return w->table ? w->table->seconds : 1;
	if (!w->table) {
		gather(w, name);
		return 1;
	}
	cell = stat_table_find(w->table, w->row, w->key, name);
	if (!cell)
		return NAN;
	/* these are seconds in expressions */
	return strcmp(name, "user_time") && strcmp(name, "system_time") ? cell->value.mean : cell->value.mean * 1e-9;
}

static bool has_event(void *ctx, const char *name)
{
	struct metric_walk *w = ctx;

	return !w->table || stat_table_find(w->table, w->row, w->key, name);
}

static double literal(void *ctx, const char *name)
{
	const struct metric_walk *w = ctx;

	if (!strcmp(name, "target_cpu"))
		return w->metrics->of_cpus;
	if (!strcmp(name, "core_wide"))
		return 0;
	return machine_number(name);
}

/* A metric that is made of itself, or of very many others, has no value. @expr: of the metric, or of its threshold */
static double evaluate_text(struct metric_walk *w, const struct vendor_event *metric, const char *expr)
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

static double evaluate(struct metric_walk *w, const struct vendor_event *metric)
{
	return evaluate_text(w, metric, metric->metric_expr);
}

int stat_metric_events(const struct stat_metrics *m, const char *name, struct stat_names *out,
		       struct sonde_error *err)
{
	const struct vendor_event *metric = find(m, name);
	struct metric_walk w = { .metrics = m, .events = out };
	struct plain_locale plain = plain_locale_begin();

	evaluate(&w, metric);
	if (metric->metric_threshold && !m->no_thresholds && !w.wrong)
		evaluate_text(&w, metric, metric->metric_threshold);
	plain_locale_end(plain);
	if (w.no_memory)
		return err_nomem(err);
	if (w.wrong)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "the expression of the metric '%s' cannot be read",
			       w.wrong);
	return 0;
}

void stat_names_free(struct stat_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	vec_free(names);
}

static enum stat_threshold judge(struct metric_walk *w, const struct vendor_event *metric)
{
	double v;

	if (!metric->metric_threshold || w->metrics->no_thresholds)
		return STAT_NO_THRESHOLD;
	v = evaluate_text(w, metric, metric->metric_threshold);
	return isnan(v) ? STAT_NO_THRESHOLD : v != 0 ? STAT_BAD : STAT_GOOD;
}

bool stat_metric_value(const struct stat_metrics *m, const char *name, const struct stat_table *t,
		       const struct stat_row *row, size_t key, struct stat_derived *out)
{
	const struct vendor_event *metric = find(m, name);
	struct metric_walk w = { .metrics = m, .table = t, .row = row, .key = key };
	struct plain_locale plain;
	double factor;
	char *end;

	if (!metric)
		return false;
	plain = plain_locale_begin();
	/* "100%", "1e-9GB" */
	out->unit = metric->scale_unit ? metric->scale_unit : "";
	factor = strtod(out->unit, &end);
	if (end == out->unit)
		factor = 1;
	out->unit = end;
	out->name = metric->name;
	out->value = evaluate(&w, metric) * factor;
	out->threshold = judge(&w, metric);
	plain_locale_end(plain);
	return true;
}

void stat_metrics_free(struct stat_metrics *m)
{
	vendor_events_free(&m->files);
	vec_free(&m->sorted);
}
