/* SPDX-License-Identifier: MIT */
/* tables.c - what was taken last: facts and typed tables */
#include "api/stat/stat.h"

#include "stat/result.h"

const struct sonde_stat_info *sonde_stat_info(struct sonde_stat *s)
{
	struct sonde_stat_info *i = &s->info;

	*i = (struct sonde_stat_info){ .by = s->table.by, .runs = s->table.runs, .note = s->recorded.note };
	if (s->trace) {
		i->seconds = i->elapsed = (double)s->recorded.time * 1e-9;
		i->interval_ms = s->recorded.interval;
		return i;
	}
	i->seconds = (double)s->last_ns * 1e-9;
	i->elapsed = s->runs.elapsed.mean;
	i->elapsed_error = stat_mean_error(&s->runs.elapsed);
	i->user = s->runs.user.mean;
	i->system = s->runs.system.mean;
	return i;
}

static struct sonde_table *make(struct sonde_stat *s, size_t which,
				int (*fill)(const struct stat_table *t, struct sonde_table *out))
{
	struct sonde_table *t = &s->tables[which];

	if (s->made[which])
		table_release(t);
	s->made[which] = true;
	if (fill(&s->table, t) == 0)
		return t;
	err_clear(&s->err);
	err_nomem(&s->err);
	return NULL;
}

struct sonde_table *sonde_stat_table(struct sonde_stat *s)
{
	return make(s, TABLE_COUNTS, stat_result);
}

struct sonde_table *sonde_stat_metrics(struct sonde_stat *s)
{
	return make(s, TABLE_METRICS, stat_result_metrics);
}

/* May the runs of both be compared? */
static int check_sides(struct sonde_stat *first, const struct sonde_stat *second)
{
	const struct sonde_stat *both[] = { first, second };

	err_clear(&first->err);
	for (size_t i = 0; i < 2; i++) {
		if (!both[i]->opts.keep_runs || both[i]->opts.by != SONDE_STAT_BY_EVENT)
			return err_set(&first->err, SONDE_USAGE, SONDE_NONE,
				       "counts are compared by event, and with the option keep_runs");
		if (!both[i]->runs.elapsed.n)
			return err_set(&first->err, SONDE_MISSING, SONDE_NONE, "there are no runs to compare");
	}
	return 0;
}

struct sonde_table *sonde_stat_compare(struct sonde_stat *first, const struct sonde_stat *second)
{
	const struct stat_side a = { &first->table, &first->runs }, b = { &second->table, &second->runs };
	struct sonde_table *t = &first->tables[TABLE_COMPARISON];

	if (first->refused || check_sides(first, second) < 0)
		return NULL;
	if (first->made[TABLE_COMPARISON])
		table_release(t);
	first->made[TABLE_COMPARISON] = true;
	if (stat_compare_runs(&a, &b, t) == 0)
		return t;
	err_nomem(&first->err);
	return NULL;
}
