/* SPDX-License-Identifier: MIT */
#include "stat/result.h"

#include <math.h>

#include "stat/derived.h"

static const struct sonde_table_column columns[] = {
	[SONDE_STAT_KEY] = { "key", "where", NULL, SONDE_TABLE_TEXT, 18, "the CPU, core or thread, and their like" },
	[SONDE_STAT_COUNTERS] = { "counters", "ctrs", NULL, SONDE_TABLE_COUNT, 4,
				  "how many CPUs or threads are behind the row" },
	[SONDE_STAT_EVENT_NAME] = { "event", "event", NULL, SONDE_TABLE_TEXT, 32, "the event that was counted" },
	[SONDE_STAT_STATE] = { "state", "state", NULL, SONDE_TABLE_TEXT, 13,
			       "whether it was counted: counted, not counted, not supported" },
	[SONDE_STAT_VALUE] = { "value", "count", NULL, SONDE_TABLE_REAL, 18, "the count in its unit, as a mean" },
	[SONDE_STAT_UNIT] = { "unit", "unit", NULL, SONDE_TABLE_TEXT, 4, "the unit of the count" },
	[SONDE_STAT_SCALE] = { "scale", "scale", NULL, SONDE_TABLE_REAL, 8, "the value of a count of 1" },
	[SONDE_STAT_CGROUP] = { "cgroup", "cgroup", NULL, SONDE_TABLE_TEXT, 16, "the control group" },
	[SONDE_STAT_DEVIATION] = { "deviation", "+-", "%", SONDE_TABLE_SHARE, 7,
				   "the standard deviation of the mean, in percent of it" },
	[SONDE_STAT_RUNNING] = { "running", "running", "(msec)", SONDE_TABLE_DURATION, 12,
				 "the time in which the event was counted" },
	[SONDE_STAT_RUNNING_SHARE] = { "running_share", "running", "%", SONDE_TABLE_SHARE, 7,
				       "the share of this time in that in which it was to be counted" },
	[SONDE_STAT_METRIC_NAME] = { "metric", "metric", NULL, SONDE_TABLE_TEXT, 24, "the name of the metric" },
	[SONDE_STAT_METRIC_VALUE] = { "metric_value", "value", NULL, SONDE_TABLE_REAL, 8, "the value of the metric" },
	[SONDE_STAT_METRIC_UNIT] = { "metric_unit", "unit", NULL, SONDE_TABLE_TEXT, 14, "the unit of the metric" },
	[SONDE_STAT_THRESHOLD] = { "threshold", "threshold", NULL, SONDE_TABLE_TEXT, 9,
				   "how the file of the metric judges its value: good, bad" },
	{ 0 },
};

static const struct table_schema counts = {
	.name = "counts", .title = "Performance counter stats", .help = "a count, or a further metric of it",
	.columns = columns,
};
static const struct table_schema metrics = {
	.name = "metrics", .title = "Metrics", .help = "a metric", .columns = columns,
};

static const char *state_of(const struct stat_row *row, const struct stat_cell *cell)
{
	return row->refused ? "not supported" : cell->running.mean == 0 ? "not counted" : "counted";
}

/* Exactly 100 only of an event that was counted all the time. */
static double running_share(const struct stat_cell *cell)
{
	const double running = cell->running.mean, enabled = cell->enabled.mean;
	const double share = enabled > 0 ? 100 * running / enabled : 100;

	if (running == enabled)
		return 100;
	return share == 100 && enabled > 0 ? nextafter(share, 0) : share;
}

/* One row with a cgroup gives every row that field. */
static bool has_cgroups(const struct stat_table *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.at[i].cgroup)
			return true;
	return false;
}

/* A row of a count or metric, with what all of its key have. */
static int begin_row(const struct stat_table *t, const struct stat_row *row, size_t key, struct sonde_table *out)
{
	if (table_row(out) < 0)
		return -SONDE_NOMEM;
	table_put(out, SONDE_STAT_COUNTERS, row->refused ? 0 : row->cells[key].nr);
	if (t->by != SONDE_STAT_BY_EVENT && table_put_text(out, SONDE_STAT_KEY, t->keys[key]) < 0)
		return -SONDE_NOMEM;
	return table_put_text(out, SONDE_STAT_EVENT_NAME, row->name);
}

static int put_count(const struct stat_table *t, const struct stat_row *row, const struct stat_cell *cell,
		     struct sonde_table *out)
{
	const char *state = state_of(row, cell);

	if (table_put_text(out, SONDE_STAT_STATE, state) < 0 || table_put_text(out, SONDE_STAT_UNIT, row->unit) < 0 ||
	    (has_cgroups(t) && table_put_text(out, SONDE_STAT_CGROUP, row->cgroup ? row->cgroup : "") < 0))
		return -SONDE_NOMEM;
	if (!row->refused && cell->running.mean != 0)
		table_put_real(out, SONDE_STAT_VALUE, cell->value.mean * row->scale);
	table_put_real(out, SONDE_STAT_SCALE, row->scale);
	if (t->runs > 1)
		table_put_share(out, SONDE_STAT_DEVIATION, 100 * stat_mean_deviation(&cell->value));
	table_put(out, SONDE_STAT_RUNNING, (uint64_t)rint(cell->running.mean));
	table_put_share(out, SONDE_STAT_RUNNING_SHARE, running_share(cell));
	return 0;
}

static int put_metric(const struct stat_derived *d, struct sonde_table *out)
{
	if (table_put_text(out, SONDE_STAT_METRIC_NAME, d->name) < 0 ||
	    table_put_text(out, SONDE_STAT_METRIC_UNIT, d->unit) < 0 ||
	    (d->threshold && table_put_text(out, SONDE_STAT_THRESHOLD, d->threshold == STAT_BAD ? "bad" : "good") < 0))
		return -SONDE_NOMEM;
	if (!isnan(d->value))
		table_put_real(out, SONDE_STAT_METRIC_VALUE, d->value);
	return 0;
}

/* A count, and rows for its further metrics. */
static int add_count(const struct stat_table *t, const struct stat_row *row, size_t key, struct sonde_table *out)
{
	const struct stat_cell *cell = &row->cells[key];
	bool is_idle = t->by == SONDE_STAT_BY_THREAD && t->nr_keys > 1 && cell->running.mean == 0;
	struct stat_derived d;

	if (row->hidden || (!row->refused && cell->nr == 0) || is_idle || !stat_row_has_key(t, row, key))
		return 0;
	if (begin_row(t, row, key, out) < 0 || put_count(t, row, cell, out) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; stat_derive(t, row, key, i, &d); i++)
		if ((i > 0 && begin_row(t, row, key, out) < 0) || put_metric(&d, out) < 0)
			return -SONDE_NOMEM;
	return 0;
}

int stat_result(const struct stat_table *t, struct sonde_table *out)
{
	bool by_key = t->by >= SONDE_STAT_BY_CORE;
	size_t outer = by_key ? t->nr_keys : t->rows.n, inner = by_key ? t->rows.n : t->nr_keys;

	table_init(out, &counts);
	for (size_t i = 0; i < outer; i++)
		for (size_t k = 0; k < inner; k++)
			if (add_count(t, &t->rows.at[by_key ? k : i], by_key ? i : k, out) < 0)
				return -SONDE_NOMEM;
	return 0;
}

static int add_metrics(const struct stat_table *t, size_t key, struct sonde_table *out)
{
	const size_t before = out->info.rows;
	struct stat_derived d;

	for (size_t i = 0; i < t->rows.n; i++)
		for (size_t k = 0; !t->rows.at[i].hidden && stat_derive(t, &t->rows.at[i], key, k, &d); k++)
			if (begin_row(t, &t->rows.at[i], key, out) < 0 || put_metric(&d, out) < 0)
				return -SONDE_NOMEM;
	if (out->info.rows > before)
		return 0;
	if (table_row(out) < 0)
		return -SONDE_NOMEM;
	return t->by == SONDE_STAT_BY_EVENT ? 0 : table_put_text(out, SONDE_STAT_KEY, t->keys[key]);
}

int stat_result_metrics(const struct stat_table *t, struct sonde_table *out)
{
	table_init(out, &metrics);
	for (size_t key = 0; key < t->nr_keys; key++)
		if (add_metrics(t, key, out) < 0)
			return -SONDE_NOMEM;
	return 0;
}
