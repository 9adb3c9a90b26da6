/* SPDX-License-Identifier: MIT */
#include "insight/timehist/timehist.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "insight/base/shown.h"
#include "insight/timehist/lines.h"
#include "insight/timehist/options.h"
#include "insight/timehist/rows.h"
#include "insight/timehist/state.h"
#include "insight/timehist/summary.h"

static const struct stay no_stay = { .wait = SONDE_NONE, .delay = SONDE_NONE, .run = SONDE_NONE,
				     .pre_migration = SONDE_NONE, .prio_before = INT32_MIN };

static const struct sonde_str no_name = { "", 0 };

/* ---- life ---- */

enum {
	TABLE_ROWS, TABLE_RUN_TIMES, TABLE_WAIT_TIMES, TABLE_IDLE_TIMES, TABLE_IDLE_STACKS, TABLE_CPUS, TABLE_TOTALS,
};
static const struct table_schema tables[] = {
	[TABLE_ROWS] = { { "events", "Switches", "a switch, wakeup, migration or loss" }, timehist_row_columns },
	[TABLE_RUN_TIMES] = { { "run_times", "Runtime summary", "a task: how long it ran" }, timehist_run_columns },
	[TABLE_WAIT_TIMES] = { { "wait_times", "Wait-time summary", "a task: how long it waited" },
			       timehist_wait_columns },
	[TABLE_IDLE_TIMES] = { { "idle_times", "Idle-time summary", "a task: how long CPUs were idle after it" },
			       timehist_idle_columns },
	[TABLE_IDLE_STACKS] = { { "idle_stacks", "Idle stats by callchain", "a CPU and a stack that left it idle" },
				timehist_idle_stack_columns },
	[TABLE_CPUS] = { { "cpus", "Idle stats", "a CPU" }, timehist_cpu_columns },
	[TABLE_TOTALS] = { { "totals", "Totals", "all tasks together" }, timehist_total_columns },
	{ { 0 } },
};

static void *new(struct sonde_table *to)
{
	struct timehist *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->first = SONDE_NONE;
	h->idle_label = UINT32_MAX;
	h->rows = &to[TABLE_ROWS];
	h->run_times = &to[TABLE_RUN_TIMES];
	h->wait_times = &to[TABLE_WAIT_TIMES];
	h->idle_times = &to[TABLE_IDLE_TIMES];
	h->idle_by_stack = &to[TABLE_IDLE_STACKS];
	h->opts.max_stack = MAX_STACK_USUAL;
	h->cpu_times = &to[TABLE_CPUS];
	h->totals = &to[TABLE_TOTALS];
	return h;
}

static void begin(void *state, const struct sonde_query *shown, const struct sched_scope *scope)
{
	struct timehist *h = state;

	h->shown = shown;
	h->states.scope = scope;
}

static void free_state(void *state)
{
	struct timehist *h = state;

	sched_decoder_free(&h->decoder);
	sched_states_free(&h->states);
	vec_free(&h->tasks);
	vec_free(&h->cpus);
	u64map_free(&h->parents);
	strpool_free(&h->stacks);
	u64map_free(&h->idle_index);
	vec_free(&h->idle_stacks);
	free(h);
}

/* There is one for each task of the states. 0 or -SONDE_NOMEM. */
static int keep_up(struct timehist *h)
{
	const struct timehist_task none = { .stay = no_stay, .out = SONDE_NONE, .migrated = SONDE_NONE, .parent = -1,
					    .label = UINT32_MAX };

	while (h->tasks.n < h->states.tasks.n)
		if (vec_push(&h->tasks, none) < 0)
			return -SONDE_NOMEM;
	while (h->cpus.n < h->states.cpus.n)
		if (vec_push(&h->cpus, ((struct timehist_cpu){ .idle_out = SONDE_NONE, .idle_wait = SONDE_NONE,
							     .idle_after = SCHED_NO_TASK })) < 0)
			return -SONDE_NOMEM;
	return 0;
}

/* ---- what is shown ---- */

static bool shows_prio(const struct timehist *h, int32_t prio)
{
	return !h->opts.some_prios ||
	       (prio >= PRIO_LOWEST && prio <= PRIO_HIGHEST && h->opts.prios[prio - PRIO_LOWEST]);
}

/* ---- stays ---- */

static void begin_stay(struct timehist *h, const struct sched_change *c)
{
	const struct sched_task *t = &h->states.tasks.at[c->task];
	struct timehist_task *k = &h->tasks.at[c->task];
	const bool could_run = c->from == SCHED_RUNNABLE || c->from == SCHED_PREEMPTED;

	k->stay = no_stay;
	if (!t->exact)
		return;
	if (k->out != SONDE_NONE && !k->cut) {
		k->stay.wait = c->time > k->out ? c->time - k->out : 0;
		k->stay.waited_as = t->letter;
	}
	if (could_run && c->end == SCHED_WHOLE && t->ready != SONDE_NONE)
		k->stay.delay = c->time > t->ready ? c->time - t->ready : 0;
	if (k->stay.delay != SONDE_NONE && k->migrated != SONDE_NONE && k->migrated > t->ready)
		k->stay.pre_migration = k->migrated - t->ready;
}

static void take_changes(struct timehist *h, const struct sched_step *step)
{
	for (uint32_t i = 0; i < step->nr; i++) {
		const struct sched_change *c = &step->changes[i];
		struct timehist_task *k = &h->tasks.at[c->task];

		if (c->from == SCHED_RUNNING && c->task == step->prev && c->end == SCHED_WHOLE)
			k->stay.run = c->time - c->since;
		else if (c->from == SCHED_RUNNING || c->from == SCHED_UNKNOWN)
			k->stay = c->from == SCHED_UNKNOWN ? no_stay : k->stay;
		else
			k->cut |= c->end == SCHED_CUT;
		if (c->to == SCHED_UNKNOWN) {
			k->out = SONDE_NONE;
			k->stay = no_stay;
		} else if (c->to == SCHED_RUNNING) {
			begin_stay(h, c);
		}
	}
}

/* The stay of the idle task that ends. @since: of the last switch on the CPU, SONDE_NONE if that is not known. */
static struct stay idle_stay(struct timehist_cpu *cpu, uint64_t since, uint64_t time)
{
	struct stay stay = no_stay;

	if (since != SONDE_NONE && time >= since) {
		stay.run = time - since;
		stay.wait = cpu->idle_wait;
	}
	cpu->idle_out = time;
	return stay;
}

static void begin_idle(struct timehist_cpu *cpu, uint64_t time, uint32_t after, uint32_t stack)
{
	cpu->idle_after = after;
	cpu->idle_stack = stack;
	cpu->idle_wait = cpu->idle_out != SONDE_NONE && time >= cpu->idle_out ? time - cpu->idle_out : SONDE_NONE;
}

/* The idle time of a CPU ends: it is that of the task that left it, and of its stack. */
static int count_idle(struct timehist *h, int32_t cpu, uint64_t run)
{
	struct timehist_cpu *c = &h->cpus.at[cpu];
	const uint64_t key = (uint64_t)(uint32_t)cpu << 32 | c->idle_stack;
	uint32_t at = u64map_get(&h->idle_index, key);

	c->idle += run;
	if (c->idle_after != SCHED_NO_TASK)
		run_sums_add(&h->tasks.at[c->idle_after].idle, run);
	if (at == U64MAP_NONE) {
		at = (uint32_t)h->idle_stacks.n;
		if (vec_push(&h->idle_stacks, ((struct idle_stack){ .cpu = cpu, .stack = c->idle_stack })) < 0 ||
		    u64map_set(&h->idle_index, key, at) < 0)
			return -SONDE_NOMEM;
	}
	h->idle_stacks.at[at].idle += run;
	h->idle_stacks.at[at].count++;
	return 0;
}

static int count(struct timehist *h, const struct sched_step *step, int32_t cpu, const struct stay *stay)
{
	h->switches++;
	h->unknown_runs += stay->run == SONDE_NONE;
	if (step->prev != SCHED_NO_TASK)
		stay_sums_add(&h->tasks.at[step->prev].sums, stay);
	else if (stay->run != SONDE_NONE)
		return count_idle(h, cpu, stay->run);
	return 0;
}

/* ---- stacks ---- */

/* Functions that every task that leaves has on its stack; perf leaves them out, too. */
static bool is_scheduler(const char *name)
{
	static const char *const names[] = { "schedule", "__schedule", "preempt_schedule" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (name && strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The stack of a sample as a text of timehist.stacks; 0: it has none. 0 or -SONDE_NOMEM. */
static int find_stack(struct timehist *h, const struct analysis_event *a, uint32_t *out)
{
	struct buf text = BUF_MEMORY;
	uint32_t shown = 0;
	int n;

	*out = 0;
	if (!a->stacks)
		return 0;
	n = a->stacks->load(a->stacks->ctx, a->ev, h->opts.max_stack + 3);
	for (int i = 0; i < n && shown < h->opts.max_stack; i++) {
		const char *name = a->stacks->at(a->stacks->ctx, (size_t)i);

		if (is_scheduler(name))
			continue;
		buf_str(&text, shown++ ? " <- " : "");
		buf_str(&text, name ? name : "[unknown]");
	}
	if (n > 0 && text.n && !text.failed)
		*out = strpool_add(&h->stacks, text.p, text.n);
	if (text.failed || *out == UINT32_MAX)
		n = -SONDE_NOMEM;
	buf_free(&text);
	return n < 0 ? n : 0;
}

/* A line about the task that leaves. */
static int show_switch(struct timehist *h, const struct sched_event *e, const struct sched_step *step, struct stay stay,
		       uint32_t stack)
{
	uint64_t time = e->time;

	if (!shows_cpu(h->shown, e->cpu) || !shows_task(h->shown, &h->states, step->prev) ||
	    !shows_prio(h, e->prev_prio) || !cut_to_shown(h->shown, &stay.run, &time)) {
		h->left_out++;
		return 0;
	}
	h->first = h->first < time ? h->first : time;
	h->last = h->last > time ? h->last : time;
	if (count(h, step, e->cpu, &stay) < 0)
		return -SONDE_NOMEM;
	return timehist_has_rows(h) && (!h->opts.idle || step->prev == SCHED_NO_TASK) ?
		       rows_switch(h, e, step, &stay, time, stack) : 0;
}

static int take_switch(struct timehist *h, const struct analysis_event *a, const struct sched_event *e,
		       const struct sched_step *step, uint64_t since)
{
	struct timehist_task *prev = step->prev == SCHED_NO_TASK ? NULL : &h->tasks.at[step->prev];
	struct timehist_cpu *cpu = e->cpu >= 0 && (size_t)e->cpu < h->cpus.n ? &h->cpus.at[e->cpu] : NULL;
	struct stay stay = no_stay;
	uint32_t stack = 0;
	int r = 0;

	if (!cpu)
		return 0;
	cpu->seen = true;
	if (prev) {
		stay = prev->stay;
		prev->parent = (int32_t)u64map_get(&h->parents, (uint32_t)e->prev);  /* U64MAP_NONE is -1 */
		prev->stay = no_stay;
		prev->out = e->time;
		prev->migrated = SONDE_NONE;
		prev->cut = false;
	} else if (e->prev == 0) {
		stay = idle_stay(cpu, since, e->time);
	}
	some_tasks_count(&h->some, &h->states, !prev || stay.run != SONDE_NONE);
	if (prev || e->prev == 0)            /* else a task whose switches were not recorded */
		r = prev && find_stack(h, a, &stack) < 0 ? -SONDE_NOMEM : show_switch(h, e, step, stay, stack);
	if (step->next != SCHED_NO_TASK)
		h->tasks.at[step->next].stay.prio_before = e->next_prio;
	else if (e->next == 0)
		begin_idle(cpu, e->time, step->prev, stack);
	return r;
}

/* ---- wakeups, migrations, losses ---- */

/*
 * The task that runs as an event happens; SCHED_NO_TASK: an idle CPU. The sample says it, but not of a task that exits.
 * 0 or -SONDE_NOMEM.
 */
static int find_current(struct timehist *h, const struct sched_event *e, uint32_t *out)
{
	const bool seen = e->cpu >= 0 && (size_t)e->cpu < h->states.cpus.n;
	const struct sched_cpu *c = seen ? &h->states.cpus.at[e->cpu] : NULL;

	*out = c && c->known ? c->running : SCHED_NO_TASK;
	if (e->tid <= 0 || h->states.other_numbers)
		return 0;
	*out = sched_states_task(&h->states, e->pid, e->tid, no_name);
	return *out == SCHED_NO_TASK ? -SONDE_NOMEM : keep_up(h);
}

static int take_other(struct timehist *h, const struct sched_event *e)
{
	const bool wanted = e->kind == SCHED_MIGRATE ? h->opts.migrations : h->opts.wakeups;
	uint32_t current, task;

	h->has_waking |= e->kind == SCHED_WAKING;
	if (e->task <= 0 || (e->kind == SCHED_WAKEUP && h->has_waking))
		return 0;
	task = sched_states_task(&h->states, -1, e->task, e->comm);
	if (task == SCHED_NO_TASK || keep_up(h) < 0)
		return -SONDE_NOMEM;
	if (e->kind == SCHED_MIGRATE)
		h->tasks.at[task].migrated = e->time;
	if (!shows_time(h->shown, e->time) || !shows_cpu(h->shown, e->cpu))
		return 0;
	h->tasks.at[task].sums.migrations += e->kind == SCHED_MIGRATE;
	if (!wanted || !timehist_has_rows(h) || h->opts.idle)
		return 0;
	if (find_current(h, e, &current) < 0)
		return -SONDE_NOMEM;
	return shows_task(h->shown, &h->states, current) || shows_task(h->shown, &h->states, task) ?
		       rows_other(h, e, current, task) : 0;
}

static int take_loss(struct timehist *h, const struct sched_event *e, const struct sonde_event *ev)
{
	struct sonde_lost lost;

	for (size_t i = 0; i < h->cpus.n; i++)
		if (e->cpu < 0 || (size_t)e->cpu == i)
			h->cpus.at[i].idle_out = h->cpus.at[i].idle_wait = SONDE_NONE;
	if (ev->type != PERF_RECORD_LOST || event_lost(ev, &lost) < 0 || !timehist_has_rows(h) ||
	    !shows_time(h->shown, e->time) || !shows_cpu(h->shown, e->cpu))
		return 0;
	return rows_loss(h, e, lost.lost);
}

/* Records of the side band name threads, and their processes, earlier than their next switch does. */
static int take_record(struct timehist *h, const struct sonde_event *ev)
{
	struct sonde_task task;
	struct sonde_comm comm;

	if (ev->machine_pid || h->states.other_numbers)
		return 0;
	if (ev->type == PERF_RECORD_FORK && event_task(ev, &task) == 0)
		return task.tid > 0 && (u64map_set(&h->parents, (uint32_t)task.tid, (uint32_t)task.ppid) < 0 ||
					sched_states_task(&h->states, task.pid, task.tid, no_name) == SCHED_NO_TASK) ?
			       -SONDE_NOMEM : 0;
	if (ev->type == PERF_RECORD_COMM && event_comm(ev, &comm) == 0 && comm.tid > 0 &&
	    sched_states_task(&h->states, comm.pid, comm.tid, comm.comm) == SCHED_NO_TASK)
		return -SONDE_NOMEM;
	return 0;
}

static int take(void *state, const struct analysis_event *a)
{
	struct timehist *h = state;
	struct sched_event e;
	struct sched_step step;
	uint64_t since;

	if (a->ev->kind != SONDE_KIND_SAMPLE && take_record(h, a->ev) < 0)
		return -SONDE_NOMEM;
	if (sched_decode(&h->decoder, a->ev, a->format, a->raw, &e) < 0)
		return -SONDE_NOMEM;
	since = e.cpu >= 0 && (size_t)e.cpu < h->states.cpus.n ? h->states.cpus.at[e.cpu].since : SONDE_NONE;
	if (sched_states_take(&h->states, &e, &step) < 0 || keep_up(h) < 0)
		return -SONDE_NOMEM;
	take_changes(h, &step);
	switch (e.kind) {
	case SCHED_SWITCH:
		return take_switch(h, a, &e, &step, since);
	case SCHED_WAKING:
	case SCHED_WAKEUP:
	case SCHED_NEW:
	case SCHED_MIGRATE:
		return take_other(h, &e);
	case SCHED_LOSS:
		return take_loss(h, &e, a->ev);
	default:
		return 0;
	}
}

/* ---- results ---- */

static int end(void *state)
{
	struct timehist *h = state;

	h->rows->info.events_left_out = h->left_out;
	if (timehist_has_sums(h) && summary_end(h) < 0)
		return -SONDE_NOMEM;
	return 0;
}

static const char *note(const void *state)
{
	const struct timehist *h = state;

	if (!h->some.switches)
		return "no task left a CPU during the recording";
	return some_tasks_only(&h->some, &h->states) ?
		       "the recording has the switches of some tasks only: of a task that came to a CPU unseen, "
		       "wait, delay and run are not known" : NULL;
}

static bool wants_stacks(const void *state)
{
	return ((const struct timehist *)state)->opts.stacks;
}

static bool gives(const void *state, size_t table)
{
	const struct timehist *h = state;

	return table == TABLE_ROWS ? timehist_has_rows(h) : timehist_has_sums(h);
}

static void text(void *state, struct buf *out)
{
	struct timehist *h = state;

	if (timehist_has_rows(h))
		lines_text(h, out);
	if (timehist_has_sums(h))
		lines_summary(h, out);
}

const struct analysis_ops timehist_analysis = {
	.pub = {
		.name = "sched timehist",
		.help = "print switches one by one: how long each task waited, was late and ran",
		.details = "A line for each switch, about the task that leaves its CPU: how long it was off a CPU "
			   "before this run (wait time), the part of that in which it could have run (sch delay), "
			   "and how long it ran. Times are milliseconds. A time whose begin was not recorded, or "
			   "during which events were lost, is 0.000 as in perf; --json and --csv leave it out, and "
			   "it is part of no sum.",
		.needs = NAMES("sched:sched_switch"),
		.uses = NAMES("sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup",
			      "sched:sched_wakeup_new", "sched:sched_migrate_task"),
		.all = NAMES("wakeups", "migrations", "with-summary"),
	},
	.options = timehist_options, .tables = tables,
	.examples = (const struct sonde_analysis_example[]){
		{ "-S", "print each switch of perf.data, and sums of each task" },
		{ "--csv", "print all columns for a spreadsheet" },
		{ 0 },
	},
	.new = new, .set = timehist_set, .begin = begin, .take = take, .end = end, .note = note, .gives = gives,
	.wants_stacks = wants_stacks, .text = text, .free = free_state,
};
