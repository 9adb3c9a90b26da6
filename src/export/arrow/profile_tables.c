/* SPDX-License-Identifier: MIT */
#include "export/arrow/profile_tables.h"

#include "base/bytes.h"

struct profile_table_type {
	size_t (*count)(const struct sonde_profile *p);
	void (*put)(struct profile_table *t, size_t row);
	struct {
		const char *name;
		enum arrow_kind kind;
	} columns[PROFILE_COLUMNS_MOST];
};

static void put_name(struct arrow_column *c, const char *name)
{
	if (name)
		arrow_put_text(c, name, strlen(name));
	else
		arrow_put_null(c);
}

static void put_event(struct profile_table *t, size_t row)
{
	const struct sonde_profile_event *e = &t->profile->events.at[row];

	put_name(&t->columns[0], e->name);
	arrow_put_int(&t->columns[1], e->samples);
	arrow_put_int(&t->columns[2], e->period);
}

static void put_task(struct profile_table *t, size_t row)
{
	const struct sonde_profile_task *task = &t->profile->who.at[row];

	arrow_put_int_if(&t->columns[0], task->pid >= 0, (uint64_t)task->pid);
	arrow_put_int_if(&t->columns[1], task->tid >= 0, (uint64_t)task->tid);
	put_name(&t->columns[2], task->comm);
}

static void put_function(struct profile_table *t, size_t row)
{
	struct sonde_profile_frame f;
	struct arrow_column *c = t->columns;

	profile_frame(t->profile, row, &f);
	put_name(&c[0], f.symbol);
	put_name(&c[1], f.dso);
	put_name(&c[2], f.dso_name);
	arrow_put_int_if(&c[3], !f.symbol, f.addr);
	arrow_put_int_if(&c[4], f.size, f.size);
	arrow_put_text(&c[5], &f.level, 1);
	arrow_put_int(&c[6], f.inlined);
	put_name(&c[7], f.file);
	arrow_put_int_if(&c[8], f.line, f.line);
}

/* The stack 0 is empty. */
static void put_stack(struct profile_table *t, size_t row)
{
	const struct sonde_profile_stack *s = &t->profile->stacks.list.at[row];

	arrow_put_int_if(&t->columns[0], row, s->parent);
	arrow_put_int_if(&t->columns[1], row, s->frame);
}

static void put_cell(struct profile_table *t, size_t row)
{
	const struct sonde_profile_cell *cell = &t->profile->cells.at[row];
	struct arrow_column *c = t->columns;

	arrow_put_int(&c[0], cell->event);
	arrow_put_int(&c[1], cell->task);
	arrow_put_int(&c[2], cell->frame);
	arrow_put_int(&c[3], cell->stack);
	arrow_put_int_if(&c[4], cell->cpu >= 0, (uint64_t)cell->cpu);
	arrow_put_int(&c[5], cell->samples);
	arrow_put_int(&c[6], cell->period);
}

static void put_sample(struct profile_table *t, size_t row)
{
	const struct sonde_profile_sample *s = &t->profile->timed.list.at[row];

	arrow_put_int_if(&t->columns[0], s->time != SONDE_NONE, s->time);
	arrow_put_int(&t->columns[1], s->period);
	arrow_put_int(&t->columns[2], s->cell);
	arrow_put_int_if(&t->columns[3], s->cpu != UINT32_MAX, s->cpu);
}

#define COUNT(name, table) \
	static size_t count_##name(const struct sonde_profile *p) \
	{ \
		return p->table.n; \
	}
COUNT(events, events)
COUNT(tasks, who)
COUNT(functions, frames.list)
COUNT(stacks, stacks.list)
COUNT(cells, cells)
COUNT(samples, timed.list)

static const struct profile_table_type types[] = {
	[SONDE_ARROW_EVENTS] = { count_events, put_event,
		{ { "name", ARROW_TEXT }, { "samples", ARROW_U64 }, { "period", ARROW_U64 } } },
	[SONDE_ARROW_TASKS] = { count_tasks, put_task,
		{ { "pid", ARROW_I32 }, { "tid", ARROW_I32 }, { "comm", ARROW_TEXT } } },
	[SONDE_ARROW_FUNCTIONS] = { count_functions, put_function,
		{ { "symbol", ARROW_TEXT }, { "dso", ARROW_WORD }, { "dso_name", ARROW_WORD }, { "addr", ARROW_U64 },
		  { "size", ARROW_U32 }, { "level", ARROW_WORD }, { "inlined", ARROW_BOOL }, { "file", ARROW_WORD },
		  { "line", ARROW_U32 } } },
	[SONDE_ARROW_STACKS] = { count_stacks, put_stack,
		{ { "parent", ARROW_U32 }, { "function", ARROW_U32 } } },
	[SONDE_ARROW_CELLS] = { count_cells, put_cell,
		{ { "event", ARROW_U32 }, { "task", ARROW_U32 }, { "function", ARROW_U32 }, { "stack", ARROW_U32 },
		  { "cpu", ARROW_I32 }, { "samples", ARROW_U64 }, { "period", ARROW_U64 } } },
	[SONDE_ARROW_SAMPLES] = { count_samples, put_sample,
		{ { "time", ARROW_I64 }, { "period", ARROW_U64 }, { "cell", ARROW_U32 }, { "cpu", ARROW_U32 } } },
};

int profile_table_init(struct profile_table *t, const struct sonde_profile *p, enum sonde_arrow_table table,
		       const struct sonde_arrow_opts *opts)
{
	if ((size_t)table >= ARRAY_SIZE(types))
		return -SONDE_USAGE;
	*t = (struct profile_table){ .profile = p, .opts = *opts, .type = &types[table] };
	t->root = ARROW_COLUMN("", ARROW_STRUCT);
	t->root.children = t->columns;
	for (size_t i = 0; i < PROFILE_COLUMNS_MOST && t->type->columns[i].name; i++) {
		t->columns[i] = ARROW_COLUMN(t->type->columns[i].name, t->type->columns[i].kind);
		t->root.nr_children++;
	}
	return 0;
}

void profile_table_free(struct profile_table *t)
{
	arrow_column_free(&t->root);
}

int profile_table_next(struct profile_table *t, struct ArrowArray *out)
{
	size_t n = t->type->count(t->profile);
	int r;

	while (t->next < n && t->root.n < t->opts.batch_rows && arrow_column_bytes(&t->root) < t->opts.batch_bytes) {
		t->type->put(t, t->next++);
		arrow_end_row(&t->root);
	}
	if (!t->root.n)
		return 0;
	r = arrow_column_take(&t->root, out);
	return r < 0 ? r : 1;
}
