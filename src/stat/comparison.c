/* SPDX-License-Identifier: MIT */
#include "stat/comparison.h"

#include "stat/significance.h"

static const struct sonde_table_column columns[] = {
	[SONDE_STAT_MEASURE] = { "measure", "measure", NULL, SONDE_TABLE_TEXT, 28, "the time, or the event" },
	[SONDE_STAT_MEASURE_UNIT] = { "unit", "unit", NULL, SONDE_TABLE_TEXT, 4, "the unit of the means" },
	[SONDE_STAT_MEASURE_SCALE] = { "scale", "scale", NULL, SONDE_TABLE_REAL, 8, "the value of a count of 1" },
	[SONDE_STAT_FIRST] = { "first", "first", NULL, SONDE_TABLE_REAL, 14, "the mean over the runs of the first" },
	[SONDE_STAT_FIRST_ERROR] = { "first_error", "+-", NULL, SONDE_TABLE_REAL, 10,
				     "its standard deviation, as of a mean" },
	[SONDE_STAT_SECOND] = { "second", "second", NULL, SONDE_TABLE_REAL, 14, "the same of the second" },
	[SONDE_STAT_SECOND_ERROR] = { "second_error", "+-", NULL, SONDE_TABLE_REAL, 10,
				      "its standard deviation, as of a mean" },
	[SONDE_STAT_RUNS] = { "runs", "runs", NULL, SONDE_TABLE_COUNT, 4, "the runs of the first" },
	[SONDE_STAT_CHANCE] = { "chance", "p", NULL, SONDE_TABLE_REAL, 6,
				"the probability of such a difference by chance: Welch's t-test" },
	[SONDE_STAT_CHANCE_BY_RANKS] = { "chance_by_ranks", "p", NULL, SONDE_TABLE_REAL, 6,
					 "the same by the rank test of Mann and Whitney" },
	{ 0 },
};

static const struct table_schema comparison = {
	.name = "comparison", .title = "Comparison", .help = "the time of the runs, or an event", .columns = columns,
};

static size_t values_of_run(const struct stat_table *t)
{
	return 1 + t->rows.n;
}

int stat_runs_add(struct stat_runs *runs, const struct stat_table *t, const struct sonde_stat_times *times)
{
	const double elapsed = (double)times->elapsed * 1e-9;

	if (runs->keep && vec_reserve(&runs->values, values_of_run(t)) < 0)
		return -SONDE_NOMEM;
	stat_mean_add(&runs->elapsed, elapsed);
	stat_mean_add(&runs->user, (double)times->user * 1e-9);
	stat_mean_add(&runs->system, (double)times->system * 1e-9);
	if (!runs->keep)
		return 0;
	runs->values.at[runs->values.n++] = elapsed;
	for (size_t i = 0; i < t->rows.n; i++)
		runs->values.at[runs->values.n++] = t->rows.at[i].cells[0].value.last;
	return 0;
}

/* Values number `i` of all runs of a side, one after the other; owned by the caller; NULL: no memory. */
static double *values_of(const struct stat_side *s, size_t i)
{
	const uint32_t n = s->runs->elapsed.n;
	double *v = calloc(n + 1, sizeof(*v));

	for (uint32_t run = 0; v && run < n; run++)
		v[run] = s->runs->values.at[run * values_of_run(s->table) + i];
	return v;
}

static int by_ranks(const struct stat_side *a, const struct stat_side *b, size_t i, double *out)
{
	double *x = values_of(a, i), *y = values_of(b, i);

	if (x && y)
		*out = rank_probability(x, a->runs->elapsed.n, y, b->runs->elapsed.n);
	free(x);
	free(y);
	return x && y ? 0 : -SONDE_NOMEM;
}

struct measure {
	const char *name, *unit;
	double scale;
	const struct stat_mean *a, *b;
	double chance_by_ranks;
};

static int add_measure(const struct measure *m, struct sonde_table *out)
{
	if (table_row(out) < 0 || table_put_text(out, SONDE_STAT_MEASURE, m->name) < 0 ||
	    table_put_text(out, SONDE_STAT_MEASURE_UNIT, m->unit) < 0)
		return -SONDE_NOMEM;
	table_put_real(out, SONDE_STAT_MEASURE_SCALE, m->scale);
	table_put_real(out, SONDE_STAT_FIRST, m->a->mean * m->scale);
	table_put_real(out, SONDE_STAT_FIRST_ERROR, stat_mean_error(m->a) * m->scale);
	table_put_real(out, SONDE_STAT_SECOND, m->b->mean * m->scale);
	table_put_real(out, SONDE_STAT_SECOND_ERROR, stat_mean_error(m->b) * m->scale);
	table_put(out, SONDE_STAT_RUNS, m->a->n);
	table_put_real(out, SONDE_STAT_CHANCE, welch_probability(m->a, m->b));
	table_put_real(out, SONDE_STAT_CHANCE_BY_RANKS, m->chance_by_ranks);
	return 0;
}

int stat_compare_runs(const struct stat_side *a, const struct stat_side *b, struct sonde_table *out)
{
	struct measure m = { "elapsed time", "msec", 1e3, &a->runs->elapsed, &b->runs->elapsed, 1 };

	table_init(out, &comparison);
	if (by_ranks(a, b, 0, &m.chance_by_ranks) < 0 || add_measure(&m, out) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < a->table->rows.n && i < b->table->rows.n; i++) {
		const struct stat_row *x = &a->table->rows.at[i], *y = &b->table->rows.at[i];

		if (x->hidden || x->refused || y->refused)
			continue;
		m = (struct measure){ x->name, x->unit, x->scale, &x->cells[0].value, &y->cells[0].value, 1 };
		if (by_ranks(a, b, i + 1, &m.chance_by_ranks) < 0 || add_measure(&m, out) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}
