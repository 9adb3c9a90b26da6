/* SPDX-License-Identifier: MIT */
#include "insight/map/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "insight/base/shown.h"
#include "insight/base/some_tasks.h"
#include "sched/states.h"
#include "table/table_text.h"

enum { COLUMNS_MOST = 4096, LETTERS = 26, DIGITS = 10 };

/* Beside a task of the states. */
struct map_task {
	uint64_t number;             /* of its name; SONDE_NONE: it was on no CPU yet */
	uint32_t label;              /* in the table */
	uint32_t comm;               /* of the label */
};

struct map {
	bool compact;
	const struct sonde_query *shown;
	struct sched_decoder decoder;
	struct sched_states states;
	VEC(struct map_task) tasks;
	uint64_t named;              /* tasks that have a name */
	uint32_t idle_label;         /* in the table; UINT32_MAX: none */
	struct some_tasks some;
	struct sonde_table *rows;
};

static const struct sonde_analysis_option options[] = {
	{ "compact", 0, NULL, "text: columns are those CPUs that have switches, in the order of their first ones" },
	{ 0 },
};

enum { ROW_TIME, ROW_CPU, ROW_TASK, ROW_NAME, ROW_NEW };
static const struct sonde_table_column columns[] = {
	[ROW_TIME] = { "time", "time", NULL, SONDE_TABLE_TIME, 14, "of the switch" },
	[ROW_CPU] = { "cpu", "cpu", NULL, SONDE_TABLE_NUMBER, 5, "where it happened" },
	[ROW_TASK] = { "task", "task", NULL, SONDE_TABLE_TASK, 30, "the task that comes to the CPU" },
	[ROW_NAME] = { "name", "name", NULL, SONDE_TABLE_TEXT, 4, "its two letters; '.': the idle CPU" },
	[ROW_NEW] = { "new", "", NULL, SONDE_TABLE_COUNT, 3,
		      "1 where the task comes to a CPU for the first time, or with another name; else 0" },
	{ 0 },
};
static const struct table_schema tables[] = {
	{ { "switches", "Switches", "a switch" }, columns },
	{ { 0 } },
};

void map_name(uint64_t number, char out[3])
{
	const uint64_t with_digit = LETTERS * DIGITS, pairs = LETTERS * LETTERS;

	number %= with_digit + 2 * pairs;
	out[2] = '\0';
	if (number < with_digit) {
		out[0] = (char)('A' + number % LETTERS);
		out[1] = (char)('0' + number / LETTERS);
		return;
	}
	number -= with_digit;
	out[0] = (char)((number < pairs ? 'A' : 'a') + number % pairs / LETTERS);
	out[1] = (char)((number < pairs ? 'A' : 'a') + number % LETTERS);
}

/* ---- life ---- */

static void *new(struct sonde_table *to)
{
	struct map *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->rows = to;
	m->idle_label = UINT32_MAX;
	return m;
}

static int set(void *state, const struct sonde_analysis_option *option, const char *value, struct sonde_error *err)
{
	(void)option;
	(void)value;
	(void)err;
	((struct map *)state)->compact = true;
	return 0;
}

static void begin(void *state, const struct sonde_query *shown, const struct sched_scope *scope)
{
	struct map *m = state;

	m->shown = shown;
	m->states.scope = scope;
}

static void free_state(void *state)
{
	struct map *m = state;

	vec_free(&m->tasks);
	sched_decoder_free(&m->decoder);
	sched_states_free(&m->states);
	free(m);
}

/* ---- events ---- */

/* The task that comes, with a name of two letters. @is_new: it gets one, or has another name. NULL: out of memory. */
static struct map_task *name_task(struct map *m, uint32_t number, bool *is_new)
{
	const struct sched_task *t = &m->states.tasks.at[number];
	struct map_task *k;

	while (m->tasks.n < m->states.tasks.n)
		if (vec_push(&m->tasks, ((struct map_task){ .number = SONDE_NONE })) < 0)
			return NULL;
	k = &m->tasks.at[number];
	*is_new = k->number == SONDE_NONE || k->comm != t->comm;
	if (k->number == SONDE_NONE)
		k->number = m->named++;
	if (!*is_new)
		return k;
	k->comm = t->comm;
	k->label = table_task(m->rows, t->tid, t->pid, sched_task_comm(&m->states, t));
	return k->label == UINT32_MAX ? NULL : k;
}

static int put_row(struct map *m, const struct sched_event *e, uint32_t label, const char *name, bool is_new)
{
	if (label == UINT32_MAX || table_row(m->rows) < 0 || table_put_text(m->rows, ROW_NAME, name) < 0)
		return -SONDE_NOMEM;
	table_put(m->rows, ROW_TIME, e->time);
	table_put(m->rows, ROW_CPU, (uint64_t)e->cpu);
	table_put_task(m->rows, ROW_TASK, label);
	table_put(m->rows, ROW_NEW, is_new);
	m->rows->info.events++;
	return 0;
}

static int take_switch(struct map *m, const struct sched_event *e)
{
	struct map_task *k;
	uint32_t task;
	char name[3];
	bool is_new;

	if (e->cpu < 0 || !shows_cpu(m->shown, e->cpu) || !shows_time(m->shown, e->time)) {
		m->rows->info.events_left_out++;
		return 0;
	}
	if (e->next == 0) {
		if (m->idle_label == UINT32_MAX)
			m->idle_label = table_task(m->rows, 0, 0, "");
		return put_row(m, e, m->idle_label, ".", false);
	}
	task = sched_states_task(&m->states, -1, e->next, e->next_comm);
	if (task == SCHED_NO_TASK)
		return -SONDE_NOMEM;
	if (!shows_task(m->shown, &m->states, task)) {
		m->rows->info.events_left_out++;
		return 0;
	}
	k = name_task(m, task, &is_new);
	if (!k)
		return -SONDE_NOMEM;
	map_name(k->number, name);
	return put_row(m, e, k->label, name, is_new);
}

static int take(void *state, const struct analysis_event *a)
{
	struct map *m = state;
	struct sched_event e;
	struct sched_step step;

	if (sched_decode(&m->decoder, a->ev, a->format, a->raw, &e) < 0 ||
	    sched_states_take(&m->states, &e, &step) < 0)
		return -SONDE_NOMEM;
	if (e.kind != SCHED_SWITCH)
		return 0;
	some_tasks_count(&m->some, &m->states, step.prev == SCHED_NO_TASK || step.nr > 0);
	return take_switch(m, &e);
}

static int end(void *state)
{
	(void)state;
	return 0;
}

static const char *note(const void *state)
{
	const struct map *m = state;

	return m->some.switches ? NULL : "no task left a CPU during the recording";
}

static bool gives(const void *state, size_t table)
{
	(void)state;
	(void)table;
	return true;
}

/* ---- text ---- */

/* The columns while lines are written. */
struct map_lines {
	int nr;                      /* columns so far */
	int column_of[COLUMNS_MOST]; /* by CPU; -1: it has none yet */
	char names[COLUMNS_MOST][3]; /* by column */
};

/* The column of a CPU; @is_new: it has just got one. -1: there are too many CPUs. */
static int column_of(struct map_lines *l, int64_t cpu, bool compact, bool *is_new)
{
	*is_new = false;
	if (cpu < 0 || cpu >= COLUMNS_MOST)
		return -1;
	if (l->column_of[cpu] >= 0)
		return l->column_of[cpu];
	*is_new = compact;
	l->column_of[cpu] = compact ? l->nr : (int)cpu;
	if (l->column_of[cpu] >= l->nr)
		l->nr = l->column_of[cpu] + 1;
	return l->column_of[cpu];
}

static void put_line(struct map *m, struct map_lines *l, size_t row, struct buf *out)
{
	const int64_t cpu = table_value(m->rows, row, ROW_CPU)->number;
	bool new_column;
	const int at = column_of(l, cpu, m->compact, &new_column);
	const struct sonde_table_value *v = table_value(m->rows, row, ROW_NAME);

	if (at < 0)
		return;
	memcpy(l->names[at], v->text, strlen(v->text) + 1);
	buf_str(out, "  ");
	for (int i = 0; i < l->nr; i++)
		buf_printf(out, "%c%-2s ", i == at ? '*' : ' ', l->names[i]);
	buf_str(out, "  ");
	text_time(out, (uint64_t)table_value(m->rows, row, ROW_TIME)->number, 12);
	buf_str(out, " secs");
	if (table_value(m->rows, row, ROW_NEW)->number) {
		v = table_value(m->rows, row, ROW_TASK);
		buf_printf(out, " %s => ", l->names[at]);
		buf_text(out, v->text, strlen(v->text));
		buf_printf(out, ":%" PRId32, v->tid);
	}
	if (new_column)
		buf_printf(out, " (CPU %" PRId64 ")", cpu);
	buf_char(out, '\n');
}

static void text(void *state, struct buf *out)
{
	struct map *m = state;
	struct map_lines *l = calloc(1, sizeof(*l));

	if (!l) {
		out->failed = out->failed ? out->failed : -SONDE_NOMEM;
		return;
	}
	for (size_t i = 0; i < COLUMNS_MOST; i++)
		l->column_of[i] = -1;
	for (size_t row = 0; row < m->rows->info.rows && !out->failed; row++)
		put_line(m, l, row, out);
	free(l);
}

const struct analysis_ops map_analysis = {
	.pub = {
		.name = "sched map",
		.help = "print which task is on which CPU after each switch",
		.details = "A column for each CPU and a line for each switch. A task has two letters, which a line "
			   "explains when it comes to a CPU first, or with another name; '.' is an idle CPU, and '*' "
			   "is before the CPU of the switch.",
		.needs = NAMES("sched:sched_switch"), .uses = NAMES("sched:sched_switch"), .all = NAMES(NULL),
	},
	.options = options, .tables = tables,
	.examples = (const struct sonde_analysis_example[]){
		{ "--compact", "print only CPUs that have switches" },
		{ 0 },
	},
	.new = new, .set = set, .begin = begin, .take = take, .end = end, .note = note, .gives = gives, .text = text,
	.free = free_state,
};
