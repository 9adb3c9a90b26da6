/* SPDX-License-Identifier: MIT */
#include "insight/timehist/summary.h"

#include <math.h>

#define COMM { "task", "comm", NULL, SONDE_TABLE_TASK, 30, "by its last name" }
#define PARENT { "parent", "parent", NULL, SONDE_TABLE_NUMBER, 6, "the process that made it" }
#define RUNS { "runs", "sched-in", "(count)", SONDE_TABLE_COUNT, 9, "runs of which begin and end are known" }
#define RUN { "run", "run-time", "(msec)", SONDE_TABLE_DURATION, 11, "sum of these runs" }

enum { TASK, TASK_PARENT, TASK_RUNS, TASK_RUN, RUN_MIN, RUN_AVG, RUN_MAX, RUN_ERROR, RUN_MIGRATIONS };
const struct sonde_table_column timehist_run_columns[] = {
	COMM, PARENT, RUNS, RUN,
	{ "min_run", "min-run", "(msec)", SONDE_TABLE_DURATION, 9, "the shortest" },
	{ "avg_run", "avg-run", "(msec)", SONDE_TABLE_DURATION, 10, "the mean" },
	{ "max_run", "max-run", "(msec)", SONDE_TABLE_DURATION, 10, "the longest" },
	{ "error", "stddev", "%", SONDE_TABLE_SHARE, 6,
	  "the standard error of the mean, in percent of it; perf calls it stddev" },
	{ "migrations", "migrations", NULL, SONDE_TABLE_COUNT, 10, "to other CPUs" },
	{ 0 },
};

enum { WAIT_SLEEP = TASK_RUN + 1, WAIT_BLOCKED, WAIT_PREEMPTED, WAIT_DELAY };
const struct sonde_table_column timehist_wait_columns[] = {
	COMM, PARENT, RUNS, RUN,
	{ "sleep", "sleep", "(msec)", SONDE_TABLE_DURATION, 9, "off the CPU, asleep" },
	{ "blocked", "iowait", "(msec)", SONDE_TABLE_DURATION, 10,
	  "off the CPU in uninterruptible sleep (D): for disks, locks of the kernel, ...; perf calls it iowait" },
	{ "preempted", "preempt", "(msec)", SONDE_TABLE_DURATION, 10, "off the CPU though it could have run" },
	{ "delay", "delay", "(msec)", SONDE_TABLE_DURATION, 10, "from a wakeup or preemption to the next run" },
	{ 0 },
};

const struct sonde_table_column timehist_cpu_columns[] = {
	[CPU_NUMBER] = { "cpu", "cpu", NULL, SONDE_TABLE_NUMBER, 6, "its number" },
	[CPU_IDLE] = { "idle", "idle", "(msec)", SONDE_TABLE_DURATION, 12, "the idle task ran" },
	[CPU_SHARE] = { "idle_share", "idle", "%", SONDE_TABLE_SHARE, 7, "of the time from first to last switch" },
	{ 0 },
};

enum { IDLE_TASK, IDLE_PARENT, IDLE_RUNS, IDLE_SUM, IDLE_MIN, IDLE_AVG, IDLE_MAX, IDLE_ERROR };
const struct sonde_table_column timehist_idle_columns[] = {
	COMM, PARENT,
	{ "idle_times", "sched-out", "(count)", SONDE_TABLE_COUNT, 9, "times that it left a CPU idle" },
	{ "idle", "idle-time", "(msec)", SONDE_TABLE_DURATION, 11, "how long the CPU was idle then, the sum" },
	{ "min_idle", "min-idle", "(msec)", SONDE_TABLE_DURATION, 9, "the shortest" },
	{ "avg_idle", "avg-idle", "(msec)", SONDE_TABLE_DURATION, 10, "the mean" },
	{ "max_idle", "max-idle", "(msec)", SONDE_TABLE_DURATION, 10, "the longest" },
	{ "error", "stddev", "%", SONDE_TABLE_SHARE, 6,
	  "the standard error of the mean, in percent of it; perf calls it stddev" },
	{ 0 },
};

const struct sonde_table_column timehist_idle_stack_columns[] = {
	[IDLE_CPU] = { "cpu", "cpu", NULL, SONDE_TABLE_NUMBER, 6, "its number" },
	[IDLE_TIME] = { "idle", "Idle time", "(msec)", SONDE_TABLE_DURATION, 16, "how long it was idle, the sum" },
	[IDLE_COUNT] = { "count", "Count", NULL, SONDE_TABLE_COUNT, 8, "times that it was idle" },
	[IDLE_STACK] = { "stack", "Callchains", NULL, SONDE_TABLE_TEXT, 50,
			 "of the task that left it idle, with --call-graph: the innermost function first" },
	{ 0 },
};

const struct sonde_table_column timehist_total_columns[] = {
	[TOTAL_TASKS] = { "tasks", "tasks", NULL, SONDE_TABLE_COUNT, 9, "that left a CPU" },
	[TOTAL_SWITCHES] = { "switches", "switches", NULL, SONDE_TABLE_COUNT, 9, "of tasks and the idle task" },
	[TOTAL_UNKNOWN] = { "unknown_runs", "unknown runs", NULL, SONDE_TABLE_COUNT, 12,
			    "switches whose run is not known: its begin was not recorded, or events were lost" },
	[TOTAL_RUN] = { "run", "run-time", "(msec)", SONDE_TABLE_DURATION, 11, "of tasks, all CPUs" },
	[TOTAL_SPAN] = { "span", "span", "(msec)", SONDE_TABLE_DURATION, 11, "from first to last switch" },
	[TOTAL_CPUS] = { "cpus", "cpus", NULL, SONDE_TABLE_COUNT, 6, "with switches" },
	{ 0 },
};

/* The mean and its squares as they grow (Welford): sums of squares of nanoseconds would lose their low digits. */
void run_sums_add(struct run_sums *s, uint64_t run)
{
	const double distance = (double)run - s->mean;

	s->shortest = s->runs && s->shortest < run ? s->shortest : run;
	s->longest = s->longest > run ? s->longest : run;
	s->runs++;
	s->run += run;
	s->mean += distance / (double)s->runs;
	s->squares += distance * ((double)run - s->mean);
}

void stay_sums_add(struct stay_sums *s, const struct stay *stay)
{
	s->stays++;
	if (stay->run != SONDE_NONE)
		run_sums_add((struct run_sums *)&s->runs, stay->run);
	if (stay->delay != SONDE_NONE)
		s->delay += stay->delay;
	if (stay->wait == SONDE_NONE || !stay->waited_as)
		return;
	if (*stay->waited_as == 'R')
		s->preempted += stay->wait;
	else if (*stay->waited_as == 'D')
		s->blocked += stay->wait;
	else
		s->sleep += stay->wait;
}

static double error_of(const struct run_sums *s)
{
	const double n = (double)s->runs;

	return n < 2 || s->mean <= 0 ? 0 : sqrt(s->squares / (n - 1) / n) / s->mean * 100;
}

/* The columns that both summaries of tasks have. 0 or -SONDE_NOMEM. */
static int begin_task(struct timehist *h, struct sonde_table *to, size_t i)
{
	const struct sched_task *t = &h->states.tasks.at[i];
	const struct timehist_task *k = &h->tasks.at[i];
	const uint32_t label = table_task(to, t->tid, t->pid, sched_task_comm(&h->states, t));

	if (label == UINT32_MAX || table_row(to) < 0)
		return -SONDE_NOMEM;
	table_put_task(to, TASK, label);
	if (k->parent >= 0)
		table_put(to, TASK_PARENT, (uint64_t)k->parent);
	table_put(to, TASK_RUNS, k->sums.runs);
	table_put(to, TASK_RUN, k->sums.run);
	to->info.events += k->sums.runs;
	to->info.events_left_out += k->sums.stays - k->sums.runs;
	return 0;
}

static int add_task(struct timehist *h, size_t i)
{
	const struct stay_sums *s = &h->tasks.at[i].sums;

	if (begin_task(h, h->run_times, i) < 0 || begin_task(h, h->wait_times, i) < 0)
		return -SONDE_NOMEM;
	if (s->runs) {
		table_put(h->run_times, RUN_MIN, s->shortest);
		table_put(h->run_times, RUN_AVG, s->run / s->runs);
		table_put(h->run_times, RUN_MAX, s->longest);
		table_put_share(h->run_times, RUN_ERROR, error_of((const struct run_sums *)&s->runs));
	}
	table_put(h->run_times, RUN_MIGRATIONS, s->migrations);
	table_put(h->wait_times, WAIT_SLEEP, s->sleep);
	table_put(h->wait_times, WAIT_BLOCKED, s->blocked);
	table_put(h->wait_times, WAIT_PREEMPTED, s->preempted);
	table_put(h->wait_times, WAIT_DELAY, s->delay);
	return 0;
}

static int add_idle(struct timehist *h, size_t i)
{
	const struct sched_task *t = &h->states.tasks.at[i];
	const struct run_sums *s = &h->tasks.at[i].idle;
	const uint32_t label = table_task(h->idle_times, t->tid, t->pid, sched_task_comm(&h->states, t));

	if (label == UINT32_MAX || table_row(h->idle_times) < 0)
		return -SONDE_NOMEM;
	table_put_task(h->idle_times, IDLE_TASK, label);
	if (h->tasks.at[i].parent >= 0)
		table_put(h->idle_times, IDLE_PARENT, (uint64_t)h->tasks.at[i].parent);
	table_put(h->idle_times, IDLE_RUNS, s->runs);
	table_put(h->idle_times, IDLE_SUM, s->run);
	table_put(h->idle_times, IDLE_MIN, s->shortest);
	table_put(h->idle_times, IDLE_AVG, s->run / s->runs);
	table_put(h->idle_times, IDLE_MAX, s->longest);
	table_put_share(h->idle_times, IDLE_ERROR, error_of(s));
	h->idle_times->info.events += s->runs;
	return 0;
}

static int add_idle_stacks(struct timehist *h)
{
	static const size_t by_time = IDLE_TIME;
	struct sonde_table *t = h->idle_by_stack;

	for (size_t i = 0; i < h->idle_stacks.n; i++) {
		const struct idle_stack *s = &h->idle_stacks.at[i];

		if (table_row(t) < 0 ||
		    (s->stack && table_put_text(t, IDLE_STACK, strpool_get(&h->stacks, s->stack)) < 0))
			return -SONDE_NOMEM;
		table_put(t, IDLE_CPU, (uint64_t)s->cpu);
		table_put(t, IDLE_TIME, s->idle);
		table_put(t, IDLE_COUNT, s->count);
		t->info.events += s->count;
	}
	return table_sort(t, &by_time, 1);
}

static int add_cpu(struct timehist *h, size_t i, uint64_t span)
{
	if (table_row(h->cpu_times) < 0)
		return -SONDE_NOMEM;
	table_put(h->cpu_times, CPU_NUMBER, i);
	table_put(h->cpu_times, CPU_IDLE, h->cpus.at[i].idle);
	if (span)
		table_put_share(h->cpu_times, CPU_SHARE, (double)h->cpus.at[i].idle / (double)span * 100);
	return 0;
}

static int add_totals(struct timehist *h, uint64_t run, uint64_t span)
{
	if (table_row(h->totals) < 0)
		return -SONDE_NOMEM;
	table_put(h->totals, TOTAL_TASKS, h->run_times->info.rows);
	table_put(h->totals, TOTAL_SWITCHES, h->switches);
	table_put(h->totals, TOTAL_UNKNOWN, h->unknown_runs);
	table_put(h->totals, TOTAL_RUN, run);
	table_put(h->totals, TOTAL_SPAN, span);
	table_put(h->totals, TOTAL_CPUS, h->cpu_times->info.rows);
	h->totals->info.events = h->switches;
	h->totals->info.events_left_out = h->left_out;
	return 0;
}

int summary_end(struct timehist *h)
{
	static const size_t by_run = TASK_RUN, by_idle = IDLE_SUM;
	const uint64_t span = h->switches ? h->last - h->first : 0;
	uint64_t run = 0;

	for (size_t i = 0; i < h->tasks.n; i++) {
		run += h->tasks.at[i].sums.run;
		if ((h->tasks.at[i].sums.stays && add_task(h, i) < 0) ||
		    (h->tasks.at[i].idle.runs && add_idle(h, i) < 0))
			return -SONDE_NOMEM;
	}
	for (size_t i = 0; i < h->cpus.n; i++)
		if (h->cpus.at[i].seen && add_cpu(h, i, span) < 0)
			return -SONDE_NOMEM;
	if (table_sort(h->run_times, &by_run, 1) < 0 || table_sort(h->wait_times, &by_run, 1) < 0 ||
	    table_sort(h->idle_times, &by_idle, 1) < 0 || add_idle_stacks(h) < 0)
		return -SONDE_NOMEM;
	return add_totals(h, run, span);
}
