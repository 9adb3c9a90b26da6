/* SPDX-License-Identifier: MIT */
#include "insight/latency/latency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "insight/base/shown.h"
#include "insight/latency/tables.h"
#include "table/table_text.h"

static const struct sonde_str no_name = { "", 0 };

/* ---- options ---- */

/* Keys of the order; some have perf's name. */
static const struct { const char *name; size_t column; } keys[] = {
	{ "avg", DELAY_AVG }, { "p50", DELAY_P50 }, { "p95", DELAY_P95 }, { "p99", DELAY_P99 }, { "max", DELAY_MAX },
	{ "switch", DELAY_SWITCHES }, { "runtime", DELAY_RUN }, { "delays", DELAY_COUNT }, { "sum", DELAY_SUM },
	{ "woken", DELAY_WOKEN }, { "preempted", DELAY_PREEMPTED },
};

static const struct sonde_analysis_option options[] = {
	{ "by", 0, "KEYS", "rows of task (the usual), of comm: tasks of one name together, or both",
	  .words = NAMES("task", "comm") },
	{ "sort", 's', "KEYS", "order rows by these, the largest first: avg,max,switch,runtime (the usual), p50, p95, "
			       "p99, delays, sum, woken, preempted",
	  .words = NAMES("avg", "max", "switch", "runtime", "p50", "p95", "p99", "delays", "sum", "woken",
			 "preempted") },
	{ "pids", 'p', NULL, "as with perf: a row for each task, also with --by comm" },
	{ 0 },
};

/* Steps over a word of a list; its length is 0 at the end. */
static size_t next_word(const char **text, const char **word)
{
	size_t n = strcspn(*text, ",");

	*word = *text;
	*text += n + ((*text)[n] == ',');
	return n;
}

static int set_by(struct latency *l, const char *text, struct sonde_error *err)
{
	const char *all = text, *word;
	size_t n;

	l->opts.by_task = l->opts.by_comm = false;
	while ((n = next_word(&text, &word)) > 0) {
		if (n == 4 && memcmp(word, "task", n) == 0)
			l->opts.by_task = true;
		else if (n == 4 && memcmp(word, "comm", n) == 0)
			l->opts.by_comm = true;
		else
			break;
	}
	return n || *text || (!l->opts.by_task && !l->opts.by_comm) ?
		       err_set(err, SONDE_USAGE, SONDE_NONE, "by takes task, comm or both, not '%s'", all) : 0;
}

static int set_sort(struct latency *l, const char *text, struct sonde_error *err)
{
	const char *all = text, *word;
	size_t n, key;

	l->opts.nr_sort = 0;
	while ((n = next_word(&text, &word)) > 0 && l->opts.nr_sort < LATENCY_SORT_MOST) {
		for (key = 0; key < ARRAY_SIZE(keys); key++)
			if (strlen(keys[key].name) == n && memcmp(keys[key].name, word, n) == 0)
				break;
		if (key == ARRAY_SIZE(keys))
			break;
		l->opts.sort[l->opts.nr_sort++] = keys[key].column;
	}
	return n || *text || !l->opts.nr_sort ?
		       err_set(err, SONDE_USAGE, SONDE_NONE, "sort takes avg, max, switch, runtime, p50, p95, p99, "
			       "delays, sum, woken and preempted, not '%s'", all) : 0;
}

static int set(void *state, const struct sonde_analysis_option *option, const char *value, struct sonde_error *err)
{
	struct latency *l = state;

	switch (option->name[0]) {
	case 'b': return set_by(l, value, err);
	case 's': return set_sort(l, value, err);
	default:
		l->opts.by_task = true;
		return 0;
	}
}

/* ---- life ---- */

enum { TABLE_TASKS, TABLE_COMMS, TABLE_TOTALS };
static const struct table_schema tables[] = {
	[TABLE_TASKS] = { { "tasks", "Delays by task", "a task" }, latency_task_columns },
	[TABLE_COMMS] = { { "comms", "Delays by name", "the tasks of a name" }, latency_comm_columns },
	[TABLE_TOTALS] = { { "totals", "Totals", "all tasks together, and how their delays ended" },
			   latency_total_columns },
	{ { 0 } },
};

static void *new(struct sonde_table *to)
{
	static const size_t usual[] = { DELAY_AVG, DELAY_MAX, DELAY_SWITCHES, DELAY_RUN };
	struct latency *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->by_task = &to[TABLE_TASKS];
	l->by_comm = &to[TABLE_COMMS];
	l->totals = &to[TABLE_TOTALS];
	l->opts.by_task = true;
	l->opts.nr_sort = ARRAY_SIZE(usual);
	memcpy(l->opts.sort, usual, sizeof(usual));
	return l;
}

static void begin(void *state, const struct sonde_query *shown, const struct sched_scope *scope)
{
	struct latency *l = state;

	l->shown = shown;
	l->states.scope = scope;
}

static void free_state(void *state)
{
	struct latency *l = state;

	for (size_t i = 0; i < l->tasks.n; i++)
		delays_free(&l->tasks.at[i]);
	vec_free(&l->tasks);
	sched_decoder_free(&l->decoder);
	sched_states_free(&l->states);
	free(l);
}

static int keep_up(struct latency *l)
{
	while (l->tasks.n < l->states.tasks.n)
		if (vec_push(&l->tasks, ((struct delays){ .longest_begin = SONDE_NONE })) < 0)
			return -SONDE_NOMEM;
	return 0;
}

/* ---- events ---- */

static bool shows(const struct latency *l, const struct sched_change *c)
{
	return shows_cpu(l->shown, c->cpu) && shows_task(l->shown, &l->states, c->task) &&
	       shows_time(l->shown, c->time);
}

static int add_delay(struct latency *l, const struct sched_change *c)
{
	struct delays *d = &l->tasks.at[c->task];
	const uint64_t delay = c->time - c->since;

	l->endings.whole++;
	if (d->longest_begin == SONDE_NONE || delay > d->longest) {
		d->longest = delay;
		d->longest_begin = c->since;
		d->longest_end = c->time;
	}
	return spread_add(c->from == SCHED_RUNNABLE ? &d->woken : &d->preempted, delay);
}

/* A task comes to a CPU. */
static int take_begin(struct latency *l, const struct sched_change *c)
{
	const bool exact = l->states.tasks.at[c->task].exact;    /* it comes now, and was not only seen to run */

	if (!shows(l, c))
		return 0;
	if (c->from == SCHED_SLEEPING || c->from == SCHED_BLOCKED)
		l->endings.not_woken++;
	if (c->from != SCHED_RUNNABLE && c->from != SCHED_PREEMPTED)
		return 0;
	if (c->end == SCHED_WHOLE && exact)
		return add_delay(l, c);
	if (c->end == SCHED_BEGUN_BEFORE)
		l->endings.begun_before++;
	else
		l->endings.cut++;
	return 0;
}

static int take_changes(struct latency *l, const struct sched_step *step)
{
	bool known = step->prev == SCHED_NO_TASK;
	int r = 0;

	for (uint32_t i = 0; i < step->nr && r == 0; i++) {
		const struct sched_change *c = &step->changes[i];
		const bool whole = c->from == SCHED_RUNNING && c->task == step->prev && c->end == SCHED_WHOLE;
		uint64_t run = c->time - c->since, time = c->time;

		known |= whole;
		if (c->to == SCHED_RUNNING) {
			r = take_begin(l, c);
		} else if (c->to == SCHED_UNKNOWN && (c->from == SCHED_RUNNABLE || c->from == SCHED_PREEMPTED)) {
			l->endings.cut += shows(l, c);
		} else if (whole && shows_cpu(l->shown, c->cpu) && shows_task(l->shown, &l->states, c->task) &&
			   cut_to_shown(l->shown, &run, &time)) {
			l->tasks.at[c->task].runs++;
			l->tasks.at[c->task].run += run;
		}
	}
	some_tasks_count(&l->some, &l->states, known);
	return r;
}

static int take(void *state, const struct analysis_event *a)
{
	struct latency *l = state;
	struct sched_event e;
	struct sched_step step;

	if (sched_decode(&l->decoder, a->ev, a->format, a->raw, &e) < 0 ||
	    sched_states_take(&l->states, &e, &step) < 0 || keep_up(l) < 0)
		return -SONDE_NOMEM;
	l->has_wakeups |= e.kind == SCHED_WAKING || e.kind == SCHED_WAKEUP;
	if (e.kind == SCHED_SWITCH && step.prev != SCHED_NO_TASK && shows_cpu(l->shown, e.cpu) &&
	    shows_task(l->shown, &l->states, step.prev) && shows_time(l->shown, e.time))
		l->tasks.at[step.prev].switches++;
	return take_changes(l, &step);
}

/* sched:sched_stat_runtime, by which the kernel accounts the time of a task while it runs. */
static int take_runtime(void *state, const struct sonde_event *ev, const struct handled_event *e)
{
	struct latency *l = state;
	const int32_t tid = (int32_t)handled_number(e, 0);
	uint32_t task;

	l->has_accounts = true;
	if (tid <= 0 || ev->machine_pid || !shows_time(l->shown, ev->time) || !shows_cpu(l->shown, ev->cpu) ||
	    !sched_scope_has(l->states.scope, tid))
		return 0;
	task = sched_states_task(&l->states, -1, tid, no_name);
	if (task == SCHED_NO_TASK || keep_up(l) < 0)
		return -SONDE_NOMEM;
	if (shows_task(l->shown, &l->states, task))
		l->tasks.at[task].accounted += handled_number(e, 1);
	return 0;
}

static const struct tracepoint_handler handlers[] = {
	{ "sched:sched_stat_runtime", { "pid", "runtime" }, .take = take_runtime },
	{ 0 },
};

/* ---- results ---- */

static int end(void *state)
{
	struct latency *l = state;

	for (size_t i = 0; i < l->states.tasks.n; i++) {
		const struct sched_task *t = &l->states.tasks.at[i];

		l->endings.unfinished += (t->state == SCHED_RUNNABLE || t->state == SCHED_PREEMPTED) &&
					 shows_task(l->shown, &l->states, (uint32_t)i);
	}
	return latency_tables_end(l);
}

static const char *note(const void *state)
{
	const struct latency *l = state;

	if (!l->states.has_switches)
		return "no task left a CPU during the recording";
	if (some_tasks_only(&l->some, &l->states))
		return "the recording has the switches of some tasks only: delays of which an end was not recorded "
		       "are not among the rows";
	return l->has_wakeups ? NULL : "the recording has no wakeups: delays are those after preemptions only";
}

static bool gives(const void *state, size_t table)
{
	const struct latency *l = state;

	return table == TABLE_TASKS ? l->opts.by_task : table == TABLE_COMMS ? l->opts.by_comm : true;
}

static void put_endings(struct latency *l, struct buf *out)
{
	static const struct { size_t column; const char *what; } rows[] = {
		{ ALL_BEGUN_BEFORE, "began before the recording" }, { ALL_CUT, "span events that are missing" },
		{ ALL_UNFINISHED, "last at its end" }, { ALL_NOT_WOKEN, "follow a sleep without a wakeup" },
	};

	buf_printf(out, "Delays: %" PRId64 " whole", table_value(l->totals, 0, ALL_WHOLE)->number);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const int64_t n = table_value(l->totals, 0, rows[i].column)->number;

		if (n)
			buf_printf(out, "; %" PRId64 " %s", n, rows[i].what);
	}
	buf_char(out, '\n');
}

static void text(void *state, struct buf *out)
{
	struct latency *l = state;

	if (l->opts.by_task)
		table_text(l->by_task, out);
	buf_str(out, l->opts.by_task && l->opts.by_comm ? "\n" : "");
	if (l->opts.by_comm)
		table_text(l->by_comm, out);
	if (!l->totals->info.rows)
		return;
	buf_printf(out, "\nTotal: %" PRId64 " tasks, %" PRId64 " switches, run time ",
		   table_value(l->totals, 0, ALL_TASKS)->number, table_value(l->totals, 0, ALL_SWITCHES)->number);
	text_duration(out, (uint64_t)table_value(l->totals, 0, ALL_RUN)->number, 0);
	buf_str(out, " msec\n");
	put_endings(l, out);
}

const struct analysis_ops latency_analysis = {
	.pub = {
		.name = "sched latency",
		.help = "print how late each task came to a CPU: the mean, percentiles and longest of its delays",
		.details = "A delay is the time from the wakeup of a task, or from its preemption, until it runs. Only "
			   "whole delays count; the last line says how many are not. The columns woken and preempted "
			   "are how many delays began with a wakeup and how many with a preemption; --json and --csv "
			   "have the mean, percentiles and longest of either. Times are milliseconds.",
		.needs = NAMES("sched:sched_switch"),
		.uses = NAMES("sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup",
			      "sched:sched_wakeup_new", "sched:sched_stat_runtime"),
		.all = NAMES("by=task,comm"),
	},
	.options = options, .tables = tables, .handlers = handlers,
	.examples = (const struct sonde_analysis_example[]){
		{ "", "print the delays of each task of perf.data, the largest mean first" },
		{ "--by comm -s p99", "add up tasks of one name, the largest 99th percentile first" },
		{ 0 },
	},
	.new = new, .set = set, .begin = begin, .take = take, .end = end, .note = note, .gives = gives,
	.text = text, .free = free_state,
};
