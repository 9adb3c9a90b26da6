/* SPDX-License-Identifier: MIT */
#include "insight/timehist/rows.h"

const struct sonde_table_column timehist_row_columns[] = {
	[ROW_EVENT] = { "event", "", NULL, SONDE_TABLE_TEXT, 9, "switch, wakeup, migration or loss" },
	[ROW_TIME] = { "time", "time", NULL, SONDE_TABLE_TIME, 15, "of the event" },
	[ROW_CPU] = { "cpu", "cpu", NULL, SONDE_TABLE_NUMBER, 6, "where it happened" },
	[ROW_TASK] = { "task", "task name", "[tid/pid]", SONDE_TABLE_TASK, 30,
		       "the task that leaves the CPU, or that wakes or migrates another one; tid 0: the idle CPU" },
	[ROW_PRIO] = { "prio", "prio", NULL, SONDE_TABLE_NUMBER, 8,
		       "its priority: -1 deadline, 0-99 real time, 100-139 by nice" },
	[ROW_PRIO_BEFORE] = { "prio_before", "", NULL, SONDE_TABLE_NUMBER, 8, "its priority when it came to the CPU" },
	[ROW_WAIT] = { "wait", "wait time", "(msec)", SONDE_TABLE_DURATION, 9, "off the CPU before this run" },
	[ROW_DELAY] = { "delay", "sch delay", "(msec)", SONDE_TABLE_DURATION, 9,
			"the part of wait after its wakeup or preemption: it could have run" },
	[ROW_RUN] = { "run", "run time", "(msec)", SONDE_TABLE_DURATION, 9, "on the CPU until now" },
	[ROW_STATE] = { "state", "state", NULL, SONDE_TABLE_TEXT, 5,
			"in which it leaves: R, R+ (preempted), S, D, ..." },
	[ROW_WAITED_AS] = { "waited_as", "", NULL, SONDE_TABLE_TEXT, 9,
			    "the state in which it left before: of wait" },
	[ROW_OTHER] = { "other", "", NULL, SONDE_TABLE_TASK, 30, "the task that comes, is woken or migrates" },
	[ROW_FROM_CPU] = { "from_cpu", "", NULL, SONDE_TABLE_NUMBER, 8, "of a migration" },
	[ROW_TO_CPU] = { "to_cpu", "", NULL, SONDE_TABLE_NUMBER, 8, "of a migration" },
	[ROW_LOST] = { "lost", "", NULL, SONDE_TABLE_COUNT, 8, "events that were lost before this one" },
	[ROW_PRE_MIGRATION] = { "pre_migration", "pre-mig time", "(msec)", SONDE_TABLE_DURATION, 9,
				"the part of delay until the task migrated to this CPU" },
	[ROW_STACK] = { "stack", "", NULL, SONDE_TABLE_TEXT, 9,
			"of the task that leaves, with --call-graph: the innermost function first" },
	{ 0 },
};

/* The idle task's label, or that of a task as it is called now; UINT32_MAX when out of memory. */
static uint32_t label_of(struct timehist *h, uint32_t task)
{
	const struct sched_task *t = task == SCHED_NO_TASK ? NULL : &h->states.tasks.at[task];
	struct timehist_task *k = t ? &h->tasks.at[task] : NULL;

	if (!t && h->idle_label == UINT32_MAX)
		h->idle_label = table_task(h->rows, 0, 0, "");
	if (!t)
		return h->idle_label;
	if (k->label == UINT32_MAX || k->label_comm != t->comm || k->label_pid != t->pid) {
		k->label = table_task(h->rows, t->tid, t->pid, sched_task_comm(&h->states, t));
		k->label_comm = t->comm;
		k->label_pid = t->pid;
	}
	return k->label;
}

static int put_task(struct timehist *h, size_t column, uint32_t task)
{
	const uint32_t label = label_of(h, task);

	if (label == UINT32_MAX)
		return -SONDE_NOMEM;
	table_put_task(h->rows, column, label);
	return 0;
}

static void put_known(struct timehist *h, size_t column, uint64_t value)
{
	if (value != SONDE_NONE)
		table_put(h->rows, column, value);
}

static int begin_row(struct timehist *h, const char *event, uint64_t time, int32_t cpu)
{
	if (table_row(h->rows) < 0 || table_put_text(h->rows, ROW_EVENT, event) < 0)
		return -SONDE_NOMEM;
	table_put(h->rows, ROW_TIME, time);
	if (cpu >= 0)
		table_put(h->rows, ROW_CPU, (uint64_t)cpu);
	h->rows->info.events++;
	return 0;
}

int rows_switch(struct timehist *h, const struct sched_event *e, const struct sched_step *step, const struct stay *stay,
		uint64_t time, uint32_t stack)
{
	if (begin_row(h, "switch", time, e->cpu) < 0 || put_task(h, ROW_TASK, step->prev) < 0)
		return -SONDE_NOMEM;
	table_put(h->rows, ROW_PRIO, (uint64_t)(int64_t)e->prev_prio);
	if (stay->prio_before != INT32_MIN)
		table_put(h->rows, ROW_PRIO_BEFORE, (uint64_t)(int64_t)stay->prio_before);
	put_known(h, ROW_WAIT, stay->wait);
	put_known(h, ROW_DELAY, stay->delay);
	put_known(h, ROW_RUN, stay->run);
	put_known(h, ROW_PRE_MIGRATION, stay->pre_migration);
	if (stack && table_put_text(h->rows, ROW_STACK, strpool_get(&h->stacks, stack)) < 0)
		return -SONDE_NOMEM;
	if (table_put_text(h->rows, ROW_STATE, e->prev ? prev_state_text(e->letters, e->prev_state) : "I") < 0 ||
	    (stay->waited_as && table_put_text(h->rows, ROW_WAITED_AS, stay->waited_as) < 0))
		return -SONDE_NOMEM;
	return step->next == SCHED_NO_TASK && e->next ? 0 : put_task(h, ROW_OTHER, step->next);
}

int rows_other(struct timehist *h, const struct sched_event *e, uint32_t current, uint32_t task)
{
	const bool migrates = e->kind == SCHED_MIGRATE;

	if (begin_row(h, migrates ? "migration" : "wakeup", e->time, e->cpu) < 0 ||
	    put_task(h, ROW_TASK, current) < 0 || put_task(h, ROW_OTHER, task) < 0)
		return -SONDE_NOMEM;
	if (migrates) {
		table_put(h->rows, ROW_FROM_CPU, (uint64_t)(int64_t)e->orig_cpu);
		table_put(h->rows, ROW_TO_CPU, (uint64_t)(int64_t)e->dest_cpu);
	}
	return 0;
}

int rows_loss(struct timehist *h, const struct sched_event *e, uint64_t lost)
{
	if (begin_row(h, "loss", e->time, e->cpu) < 0)
		return -SONDE_NOMEM;
	put_known(h, ROW_LOST, lost);
	return 0;
}
