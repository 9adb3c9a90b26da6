/* SPDX-License-Identifier: MIT */
#include "insight/latency/tables.h"

#include <string.h>

/* Of the delays after wakeups, and of those after preemptions. */
#define KIND_COLUMNS(kind, title, what) \
	{ kind, title, NULL, SONDE_TABLE_COUNT, 9, "delays after " what }, \
	{ kind "_avg", "", NULL, SONDE_TABLE_DURATION, 9, "their mean" }, \
	{ kind "_p50", "", NULL, SONDE_TABLE_DURATION, 9, "half of them are at most so long" }, \
	{ kind "_p95", "", NULL, SONDE_TABLE_DURATION, 9, "95 percent of them are at most so long" }, \
	{ kind "_p99", "", NULL, SONDE_TABLE_DURATION, 9, "99 percent of them are at most so long" }, \
	{ kind "_max", "", NULL, SONDE_TABLE_DURATION, 9, "the longest of them" }, \
	{ kind "_sum", "", NULL, SONDE_TABLE_DURATION, 9, "their sum" }

#define DELAY_COLUMNS \
	{ "run", "run time", "(msec)", SONDE_TABLE_DURATION, 11, \
	  "on a CPU, of runs of which begin and end are known" }, \
	{ "accounted", "", "(msec)", SONDE_TABLE_DURATION, 11, \
	  "on a CPU as sched:sched_stat_runtime tells, where that was recorded" }, \
	{ "switches", "switches", NULL, SONDE_TABLE_COUNT, 8, "it left a CPU" }, \
	{ "delays", "delays", NULL, SONDE_TABLE_COUNT, 8, "it could run, waited for a CPU and then ran" }, \
	{ "avg", "avg", "(msec)", SONDE_TABLE_DURATION, 9, "the mean of these delays" }, \
	{ "p50", "p50", "(msec)", SONDE_TABLE_DURATION, 9, "half of them are at most so long" }, \
	{ "p95", "p95", "(msec)", SONDE_TABLE_DURATION, 9, "95 percent of them are at most so long" }, \
	{ "p99", "p99", "(msec)", SONDE_TABLE_DURATION, 9, "99 percent of them are at most so long" }, \
	{ "max", "max", "(msec)", SONDE_TABLE_DURATION, 9, "the longest of them" }, \
	{ "max_begin", "max start", "(sec)", SONDE_TABLE_TIME, 14, \
	  "when the longest began: the first of equal ones" }, \
	{ "max_end", "max end", "(sec)", SONDE_TABLE_TIME, 14, "when it ended" }, \
	{ "sum", "", NULL, SONDE_TABLE_DURATION, 11, "the sum of the delays" }, \
	KIND_COLUMNS("woken", "woken", "wakeups"), \
	KIND_COLUMNS("preempted", "preempted", "preemptions")

/* The number of tasks is 1: the column is there so that both tables have the same places. */
const struct sonde_table_column latency_task_columns[] = {
	[DELAY_TASK] = { "task", "task", NULL, SONDE_TABLE_TASK, 26, "by its last name" },
	[DELAY_TASKS] = { "tasks", "", NULL, SONDE_TABLE_COUNT, 6, "always 1" },
	DELAY_COLUMNS,
	{ 0 },
};

const struct sonde_table_column latency_comm_columns[] = {
	[DELAY_COMM] = { "comm", "name", NULL, SONDE_TABLE_TEXT, 18, "the last name of the tasks" },
	[DELAY_TASKS] = { "tasks", "tasks", NULL, SONDE_TABLE_COUNT, 6, "of that name" },
	DELAY_COLUMNS,
	{ 0 },
};

const struct sonde_table_column latency_total_columns[] = {
	[ALL_TASKS] = { "tasks", "tasks", NULL, SONDE_TABLE_COUNT, 8, "that have a row" },
	[ALL_SWITCHES] = { "switches", "switches", NULL, SONDE_TABLE_COUNT, 9, "of these tasks" },
	[ALL_RUN] = { "run", "run time", "(msec)", SONDE_TABLE_DURATION, 12, "of these tasks" },
	[ALL_WHOLE] = { "whole", "whole", NULL, SONDE_TABLE_COUNT, 9, "delays that the rows are made of" },
	[ALL_BEGUN_BEFORE] = { "begun_before", "begun before", NULL, SONDE_TABLE_COUNT, 12,
			       "delays whose begin was not recorded" },
	[ALL_CUT] = { "cut", "cut", NULL, SONDE_TABLE_COUNT, 9, "delays during which events were lost" },
	[ALL_UNFINISHED] = { "unfinished", "unfinished", NULL, SONDE_TABLE_COUNT, 10,
			     "delays that last at the end of the recording" },
	[ALL_NOT_WOKEN] = { "not_woken", "not woken", NULL, SONDE_TABLE_COUNT, 9,
			    "sleeps that ended without a recorded wakeup" },
	[ALL_BACKWARDS] = { "backwards", "backwards", NULL, SONDE_TABLE_COUNT, 9,
			    "times before the begin of what they end, as clocks of CPUs differ: taken as that begin" },
	{ 0 },
};

void delays_free(struct delays *d)
{
	spread_free(&d->woken);
	spread_free(&d->preempted);
}

static int merge(struct delays *to, const struct delays *from)
{
	if (from->longest_begin != SONDE_NONE &&
	    (to->longest_begin == SONDE_NONE || from->longest > to->longest ||
	     (from->longest == to->longest && from->longest_end < to->longest_end))) {
		to->longest = from->longest;
		to->longest_begin = from->longest_begin;
		to->longest_end = from->longest_end;
	}
	to->switches += from->switches;
	to->runs += from->runs;
	to->run += from->run;
	to->accounted += from->accounted;
	return spread_merge(&to->woken, &from->woken) < 0 || spread_merge(&to->preempted, &from->preempted) < 0 ?
		       -SONDE_NOMEM : 0;
}

/* Seven columns. */
static void put_kind(struct sonde_table *t, size_t column, struct spread *s)
{
	static const unsigned percents[] = { 50, 95, 99 };

	table_put(t, column, s->n);
	if (!s->n)
		return;
	table_put(t, column + 1, s->sum / s->n);
	for (size_t i = 0; i < 3; i++)
		table_put(t, column + 2 + i, spread_percentile(s, percents[i]));
	table_put(t, column + 5, s->largest);
	table_put(t, column + 6, s->sum);
}

static void put_all(struct sonde_table *t, const struct delays *d, struct spread *all)
{
	table_put(t, DELAY_AVG, all->sum / all->n);
	table_put(t, DELAY_P50, spread_percentile(all, 50));
	table_put(t, DELAY_P95, spread_percentile(all, 95));
	table_put(t, DELAY_P99, spread_percentile(all, 99));
	table_put(t, DELAY_MAX, all->largest);
	table_put(t, DELAY_MAX_BEGIN, d->longest_begin);
	table_put(t, DELAY_MAX_END, d->longest_end);
	table_put(t, DELAY_SUM, all->sum);
}

/* The columns that both tables have, of the row that was begun. 0 or -SONDE_NOMEM. */
static int put_delays(struct latency *l, struct sonde_table *t, struct delays *d, uint64_t tasks)
{
	struct spread all = { 0 };
	int r = spread_merge(&all, &d->woken);

	if (r == 0)
		r = spread_merge(&all, &d->preempted);
	if (r == 0) {
		table_put(t, DELAY_TASKS, tasks);
		table_put(t, DELAY_RUN, d->run);
		table_put(t, DELAY_SWITCHES, d->switches);
		table_put(t, DELAY_COUNT, all.n);
		put_kind(t, DELAY_WOKEN, &d->woken);
		put_kind(t, DELAY_PREEMPTED, &d->preempted);
		t->info.events += all.n;
	}
	if (r == 0 && l->has_accounts)
		table_put(t, DELAY_ACCOUNTED, d->accounted);
	if (r == 0 && all.n)
		put_all(t, d, &all);
	spread_free(&all);
	return r;
}

static bool has_row(const struct delays *d)
{
	return d->switches || d->woken.n || d->preempted.n;
}

static int add_task(struct latency *l, size_t i)
{
	const struct sched_task *task = &l->states.tasks.at[i];
	const uint32_t label = table_task(l->by_task, task->tid, task->pid, sched_task_comm(&l->states, task));

	if (label == UINT32_MAX || table_row(l->by_task) < 0)
		return -SONDE_NOMEM;
	table_put_task(l->by_task, DELAY_TASK, label);
	return put_delays(l, l->by_task, &l->tasks.at[i], 1);
}

/* Tasks of one name, in the order in which the names appear. */
struct tasks_by_name {
	struct u64map rows;          /* by number of the name: index in delays */
	VEC(struct delays) delays;
	VEC(uint64_t) tasks;
	VEC(uint32_t) comms;
};

static int add_to_name(struct latency *l, struct tasks_by_name *names, size_t i)
{
	const uint32_t comm = l->states.tasks.at[i].comm;
	uint32_t row = u64map_get(&names->rows, comm);

	if (row == U64MAP_NONE) {
		row = (uint32_t)names->delays.n;
		if (vec_push(&names->delays, ((struct delays){ .longest_begin = SONDE_NONE })) < 0 ||
		    vec_push(&names->tasks, 0) < 0 || vec_push(&names->comms, comm) < 0 ||
		    u64map_set(&names->rows, comm, row) < 0)
			return -SONDE_NOMEM;
	}
	names->tasks.at[row]++;
	return merge(&names->delays.at[row], &l->tasks.at[i]);
}

static int put_names(struct latency *l, struct tasks_by_name *names)
{
	struct sonde_table *t = l->by_comm;

	for (size_t i = 0; i < names->delays.n; i++) {
		const char *comm = names->comms.at[i] ? strpool_get(&l->states.comms, names->comms.at[i]) : "";

		if (table_row(t) < 0 || table_put_text(t, DELAY_COMM, comm) < 0 ||
		    put_delays(l, t, &names->delays.at[i], names->tasks.at[i]) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int fill_comms(struct latency *l)
{
	struct tasks_by_name names = { 0 };
	int r = 0;

	for (size_t i = 0; i < l->tasks.n && r == 0; i++)
		if (has_row(&l->tasks.at[i]))
			r = add_to_name(l, &names, i);
	if (r == 0)
		r = put_names(l, &names);
	for (size_t i = 0; i < names.delays.n; i++)
		delays_free(&names.delays.at[i]);
	u64map_free(&names.rows);
	vec_free(&names.delays);
	vec_free(&names.tasks);
	vec_free(&names.comms);
	return r;
}

static int fill_totals(struct latency *l)
{
	const struct endings *e = &l->endings;
	const uint64_t counts[] = { [ALL_WHOLE] = e->whole, [ALL_BEGUN_BEFORE] = e->begun_before, [ALL_CUT] = e->cut,
				    [ALL_UNFINISHED] = e->unfinished, [ALL_NOT_WOKEN] = e->not_woken,
				    [ALL_BACKWARDS] = l->states.backwards };
	uint64_t tasks = 0, switches = 0, run = 0;

	if (!l->some.switches)
		return 0;
	for (size_t i = 0; i < l->tasks.n; i++) {
		tasks += has_row(&l->tasks.at[i]);
		switches += l->tasks.at[i].switches;
		run += l->tasks.at[i].run;
	}
	if (table_row(l->totals) < 0)
		return -SONDE_NOMEM;
	for (size_t i = ALL_WHOLE; i <= ALL_BACKWARDS; i++)
		table_put(l->totals, i, counts[i]);
	table_put(l->totals, ALL_TASKS, tasks);
	table_put(l->totals, ALL_SWITCHES, switches);
	table_put(l->totals, ALL_RUN, run);
	l->totals->info.events = e->whole;
	return 0;
}

int latency_tables_end(struct latency *l)
{
	const uint64_t left_out = l->endings.begun_before + l->endings.cut + l->endings.unfinished +
				  l->endings.not_woken;

	for (size_t i = 0; i < l->tasks.n && l->opts.by_task; i++)
		if (has_row(&l->tasks.at[i]) && add_task(l, i) < 0)
			return -SONDE_NOMEM;
	if ((l->opts.by_comm && fill_comms(l) < 0) || fill_totals(l) < 0)
		return -SONDE_NOMEM;
	l->by_task->info.events_left_out = l->by_comm->info.events_left_out = left_out;
	l->totals->info.events_left_out = left_out;
	return table_sort(l->by_task, l->opts.sort, l->opts.nr_sort) < 0 ||
	       table_sort(l->by_comm, l->opts.sort, l->opts.nr_sort) < 0 ? -SONDE_NOMEM : 0;
}
