/* SPDX-License-Identifier: MIT */
#include "stat/counts.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/keys.h"
#include "stat/machine.h"

/* ---- rows of events ---- */

static int describe(struct stat_row *row, const struct counted *counted, enum sonde_stat_by by)
{
	const struct sonde_counter_event *e = &counted->event;

	if (e->attr->type == SONDE_COUNTER_TYPE_TOOL)
		row->tool = e->attr->config < STAT_MACHINE ? (enum stat_tool)e->attr->config : STAT_MACHINE;
	row->refused = row->tool == STAT_MACHINE ? isnan(machine_number(e->name)) : e->refusal && !row->tool;
	row->hidden = row->hidden && e->refusal;
	row->percore = e->percore && by == SONDE_STAT_BY_CPU && !e->refusal;
	row->is_clock = e->attr->type == PERF_TYPE_SOFTWARE && e->attr->config <= PERF_COUNT_SW_TASK_CLOCK;
	row->scale = row->is_clock ? 1e-6 : e->scale;
	row->name = strdup(e->name);
	row->unit = strdup(row->is_clock ? "msec" : e->unit ? e->unit : "");
	return row->name && row->unit ? 0 : -SONDE_NOMEM;
}

/* As perf 7: where no event can be counted, nothing runs. */
static int check_supported(const struct stat_table *t, const struct sonde_counter *c, struct sonde_error *err)
{
	const char *why = NULL;

	for (size_t i = 0; i < t->rows.n; i++) {
		if (!t->rows.at[i].refused)
			return 0;
		why = why ? why : c->counted.at[t->rows.at[i].event].event.refusal;
	}
	if (t->rows.n == 0)
		return 0;
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "No supported events found, all are <not supported>: %s",
		       why ? why : "this machine has none of them");
}

/* ---- cells ---- */

static size_t nr_counted(const struct stat_row *row, const struct sonde_counter *c)
{
	return row->tool ? 0 : c->counted.at[row->event].nr_cells;
}

static const struct sonde_counter_value *counted_at(const struct stat_row *row, const struct sonde_counter *c, size_t k)
{
	return &c->counted.at[row->event].cells[k].value;
}

static int find_keys(struct stat_table *t, const struct sonde_counter *c)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct stat_row *row = &t->rows.at[i];

		for (size_t k = 0; k < nr_counted(row, c); k++) {
			if (stat_key_of(t, stat_row_by(t, row), counted_at(row, c, k)) < 0)
				return -SONDE_NOMEM;
			if (t->by == SONDE_STAT_BY_EVENT)
				return 0;
		}
	}
	return 0;
}

/* For lines of CPUs with the sums of their cores. */
static int find_cores(struct stat_row *row, const struct sonde_counter *c, const char *sysfs)
{
	row->first_of_core = calloc(row->nr_counted + 1, sizeof(*row->first_of_core));
	if (!row->first_of_core)
		return -SONDE_NOMEM;
	for (size_t k = 0; k < row->nr_counted; k++) {
		size_t first = 0;

		while (first < k && (row->first_of_core[first] != first ||
				     !stat_is_one_core(sysfs, counted_at(row, c, k)->cpu,
						       counted_at(row, c, first)->cpu)))
			first++;
		row->first_of_core[k] = first;
	}
	return 0;
}

static int make_cells(struct stat_table *t, const struct sonde_counter *c, struct stat_row *row,
		      struct sonde_error *err)
{
	size_t nr_keys = t->nr_keys;

	row->nr_counted = nr_counted(row, c);
	row->cells = calloc(nr_keys, sizeof(*row->cells));
	row->key_of = calloc(row->nr_counted + 1, sizeof(*row->key_of));
	if (!row->cells || !row->key_of)
		return err_nomem(err);
	for (size_t k = 0; k < row->nr_counted; k++) {
		const struct sonde_counter_value *v = counted_at(row, c, k);
		int key = t->by == SONDE_STAT_BY_EVENT ? 0 : stat_key_of(t, stat_row_by(t, row), v);

		if (key < 0)
			return err_nomem(err);
		if ((size_t)key >= nr_keys)
			return err_set(err, SONDE_MISSING, SONDE_NONE,
				       "CPUs came or went while the events were opened: try again");
		row->key_of[k] = (size_t)key;
		row->cells[key].nr += v->fd >= 0;
	}
	if (row->tool)
		row->cells[0].nr = 1;
	return row->percore && t->percore_cpus && find_cores(row, c, t->sysfs) < 0 ? err_nomem(err) : 0;
}

int stat_counts_begin(struct stat_table *t, const struct sonde_counter *c, struct sonde_error *err)
{
	static const struct sonde_counter_value none = { .cpu = 0 };
	int r;

	for (size_t i = 0; i < t->rows.n; i++)
		if (describe(&t->rows.at[i], &c->counted.at[t->rows.at[i].event], t->by) < 0)
			return err_nomem(err);
	r = check_supported(t, c, err);
	if (r < 0)
		return r;
	if (find_keys(t, c) < 0 || (t->nr_keys == 0 && stat_key_of(t, t->by, &none) < 0))
		return err_nomem(err);
	if (stat_keys_sort(t) < 0)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < t->rows.n; i++)
		r = make_cells(t, c, &t->rows.at[i], err);
	return r;
}

void stat_counts_next_run(struct stat_table *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		for (size_t key = 0; key < t->nr_keys; key++)
			memset(&t->rows.at[i].cells[key].before, 0, sizeof(t->rows.at[i].cells[key].before));
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void take_cell(struct stat_cell *cell, const struct sonde_counter_value *now, enum sonde_stat_share share,
		      bool scaled)
{
	struct sonde_counter_value d = *now;
	double value;

	if (share == SONDE_STAT_INTERVAL) {
		d.raw = since(now->raw, cell->before.raw);
		d.time_enabled = since(now->time_enabled, cell->before.time_enabled);
		d.time_running = since(now->time_running, cell->before.time_running);
	}
	if (share != SONDE_STAT_RUN) {
		memset(&cell->value, 0, sizeof(cell->value));
		memset(&cell->enabled, 0, sizeof(cell->enabled));
		memset(&cell->running, 0, sizeof(cell->running));
	}
	value = (double)d.raw;
	if (scaled && d.time_running && d.time_running < d.time_enabled)
		value = value * (double)d.time_enabled / (double)d.time_running;
	stat_mean_add(&cell->value, value);
	stat_mean_add(&cell->enabled, (double)d.time_enabled);
	stat_mean_add(&cell->running, (double)d.time_running);
	cell->before = *now;
}

/* A number of the machine is the same in each interval. */
static void take_machine(struct stat_row *row, enum sonde_stat_share share)
{
	const struct sonde_counter_value now = { .raw = (uint64_t)machine_number(row->name), .time_enabled = 1,
						 .time_running = 1 };

	memset(&row->cells[0].before, 0, sizeof(row->cells[0].before));
	take_cell(&row->cells[0], &now, share, false);
}

static void take_tool(struct stat_row *row, const struct sonde_stat_times *times, enum sonde_stat_share share)
{
	const uint64_t values[] = {
		[STAT_DURATION_TIME] = times->elapsed, [STAT_USER_TIME] = times->user,
		[STAT_SYSTEM_TIME] = times->system,
	};
	struct sonde_counter_value now = { .raw = values[row->tool], .time_enabled = times->elapsed,
					   .time_running = times->elapsed };

	take_cell(&row->cells[0], &now, share, false);
}

static void add_value(struct sonde_counter_value *sum, const struct sonde_counter_value *v)
{
	sum->raw += v->raw;
	sum->time_enabled += v->time_enabled;
	sum->time_running += v->time_running;
}

/* Of the cells that the first run had: CPUs may have come or gone since. */
static int sum_cells(const struct stat_row *row, const struct sonde_counter *c, struct sonde_counter_value *sums)
{
	size_t now = nr_counted(row, c), n = now < row->nr_counted ? now : row->nr_counted;
	struct sonde_counter_value *cores = row->first_of_core ? calloc(n + 1, sizeof(*cores)) : NULL;

	if (row->first_of_core && !cores)
		return -SONDE_NOMEM;
	for (size_t k = 0; cores && k < n; k++)
		add_value(&cores[row->first_of_core[k]], counted_at(row, c, k));
	for (size_t k = 0; k < n; k++)
		add_value(&sums[row->key_of[k]], cores ? &cores[row->first_of_core[k]] : counted_at(row, c, k));
	free(cores);
	return 0;
}

int stat_counts_take(struct stat_table *t, const struct sonde_counter *c, const struct sonde_stat_times *times,
		     enum sonde_stat_share share, bool scaled)
{
	struct sonde_counter_value *sums = calloc(t->nr_keys + 1, sizeof(*sums));
	int r = sums ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < t->rows.n; i++) {
		struct stat_row *row = &t->rows.at[i];

		if (row->tool == STAT_MACHINE && !row->refused)
			take_machine(row, share);
		else if (row->tool && row->tool != STAT_MACHINE)
			take_tool(row, times, share);
		if (row->tool)
			continue;
		memset(sums, 0, t->nr_keys * sizeof(*sums));
		r = sum_cells(row, c, sums);
		for (size_t key = 0; r == 0 && key < t->nr_keys; key++)
			take_cell(&row->cells[key], &sums[key], share, scaled);
	}
	free(sums);
	return r;
}
