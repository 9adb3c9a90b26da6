/* SPDX-License-Identifier: MIT */
#include "export/table.h"

#include <string.h>

#include "base/bytes.h"
#include "export/frame_name.h"

static const struct { const char *word; enum column_kind kind; } figures[] = {
	{ "overhead_children", COLUMN_CHILDREN }, { "children", COLUMN_CHILDREN }, { "overhead", COLUMN_SELF },
	{ "sample", COLUMN_SAMPLES }, { "samples", COLUMN_SAMPLES }, { "period", COLUMN_PERIOD },
};
static const char *const key_words[NR_ROW_KEYS] = {
	[ROW_COMM] = "comm", [ROW_PID] = "pid", [ROW_TID] = "tid", [ROW_DSO] = "dso", [ROW_SYM] = "sym", [ROW_CPU] = "cpu",
	[ROW_EVENT] = "event",
};

const char *column_word(const struct table *t, const struct column *c)
{
	switch (c->kind) {
	case COLUMN_CHILDREN: return "children";
	case COLUMN_SELF: return t->x->opts.children ? "self" : "overhead";
	case COLUMN_SAMPLES: return "samples";
	case COLUMN_PERIOD: return "period";
	case COLUMN_KEY: break;
	}
	return key_words[c->key];
}

static int add_column(struct table *t, enum column_kind kind, enum row_key key)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i].kind == kind && t->columns[i].key == key)
			return 0;
	if (t->nr_columns == COLUMNS_MAX)
		return -SONDE_USAGE;
	t->columns[t->nr_columns++] = (struct column){ .kind = kind, .key = key };
	return 0;
}

static int add_word(struct table *t, const char *word, size_t len, bool may_be_figure)
{
	enum row_key key = row_key_find(word, len);

	if (key != NR_ROW_KEYS)
		return add_column(t, COLUMN_KEY, key);
	for (size_t i = 0; i < ARRAY_SIZE(figures) && may_be_figure; i++)
		if (strlen(figures[i].word) == len && memcmp(figures[i].word, word, len) == 0)
			return add_column(t, figures[i].kind, 0);
	return err_set(t->x->err, SONDE_USAGE, SONDE_NONE, "there is no column '%.*s'", (int)len, word);
}

static int add_words(struct table *t, const char *list, bool may_be_figure)
{
	size_t len;
	int r = 0;

	for (; *list && r == 0; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len)
			r = add_word(t, list, len, may_be_figure);
	}
	return r;
}

static int choose_columns(struct table *t)
{
	const struct sonde_export_opts *o = &t->x->opts;
	const char *sort = o->sort && *o->sort ? o->sort : "comm,dso,sym";
	int r = 0;

	t->first_key = row_key_find(sort, strcspn(sort, ","));
	if (o->fields)
		return add_words(t, o->fields, true) < 0 || (o->sort && add_words(t, sort, false) < 0) ? -SONDE_USAGE : 0;
	if (o->children)
		r = add_column(t, COLUMN_CHILDREN, 0);
	if (r == 0)
		r = add_column(t, COLUMN_SELF, 0);
	if (r == 0 && o->show_samples)
		r = add_column(t, COLUMN_SAMPLES, 0);
	return r == 0 ? add_words(t, sort, false) : r;
}

/* The text of a symbol: of an address in no known function, all its digits. */
static void put_symbol(struct buf *b, const struct sonde_profile_frame *f)
{
	if (f->symbol) {
		buf_text(b, f->symbol, strlen(f->symbol));
	} else if (f->size) {
		frame_put_nameless(b, f);
	} else {
		if (f->addr)
			buf_str(b, "0x");
		buf_hex_zero(b, f->addr, 16);
	}
}

/* perf shows the number of a task right-aligned before its name. */
static void put_task(struct buf *b, int32_t number, const char *comm)
{
	buf_printf(b, "%7d:", number);
	buf_text(b, comm, strlen(comm));
}

void table_put_key(struct buf *b, const struct table *t, enum row_key key, const struct row *row)
{
	const struct sonde_profile *p = t->x->profile;
	const struct sonde_profile_task *task = &p->who.at[row->task];
	const char *event = p->events.at[t->event].name;
	struct sonde_profile_frame f;

	sonde_profile_frame(p, row->frame, &f);
	switch (key) {
	case ROW_COMM:
		buf_text(b, task->comm, strlen(task->comm));
		break;
	case ROW_PID:
		put_task(b, task->pid, task->comm);
		break;
	case ROW_TID:
		put_task(b, task->tid, task->comm);
		break;
	case ROW_DSO:
		buf_text(b, f.dso_name, strlen(f.dso_name));
		break;
	case ROW_SYM:
		buf_printf(b, "[%c] ", f.level);
		put_symbol(b, &f);
		break;
	case ROW_CPU:
		buf_printf(b, "%03d", row->cpu);
		break;
	case ROW_EVENT:
		buf_text(b, event, strlen(event));
		break;
	case NR_ROW_KEYS:
		break;
	}
}

static int measure(struct table *t)
{
	struct buf text = BUF_MEMORY;
	int failed;

	for (size_t c = 0; c < t->nr_columns; c++) {
		struct column *column = &t->columns[c];

		for (size_t i = 0; i < t->rows.list.n && column->kind == COLUMN_KEY; i++) {
			text.n = 0;
			table_put_key(&text, t, column->key, &t->rows.list.at[i]);
			if (text.n > column->width)
				column->width = (uint32_t)text.n;
		}
	}
	failed = text.failed;
	buf_free(&text);
	return failed;
}

static void drop_small(struct table *t)
{
	double least = t->x->opts.percent_limit / 100 * (double)t->rows.total;
	size_t kept = 0;

	for (size_t i = 0; i < t->rows.list.n; i++)
		if ((double)t->rows.list.at[i].children >= least)
			t->rows.list.at[kept++] = t->rows.list.at[i];
	t->rows.list.n = kept;
}

static void hide_columns(struct table *t)
{
	const struct sonde_export_opts *o = &t->x->opts;

	for (size_t i = 0; i < t->nr_columns; i++) {
		struct column *c = &t->columns[i];

		if (c->kind == COLUMN_KEY)
			c->hidden = (c->key == ROW_COMM && t->x->profile->comms.n == 1) || (c->key == ROW_DSO && o->nr_dsos == 1) ||
				    (c->key == ROW_SYM && o->nr_symbols == 1);
	}
}

int table_make(struct table *t, struct export *x, uint32_t event)
{
	const struct sonde_export_opts *o = &x->opts;
	struct rows_opts opts = { .event = event, .children = o->children, .graph = o->graph, .callee = o->callee,
				  .relative = o->relative, .absolute = !o->of_shown, .dsos = o->dsos, .nr_dsos = o->nr_dsos,
				  .symbols = o->symbols, .nr_symbols = o->nr_symbols };
	int r;

	*t = (struct table){ .x = x, .event = event };
	r = choose_columns(t);
	if (r < 0)
		return r;
	for (size_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i].kind == COLUMN_KEY)
			opts.keys |= 1U << t->columns[i].key;
	opts.graph_limit = o->graph_limit < 0 ? 0 : o->graph_limit == 0 ? 0.5 : o->graph_limit;
	r = rows_make(&t->rows, x->profile, &opts);
	if (r < 0)
		return r;
	drop_small(t);
	hide_columns(t);
	return measure(t);
}

void table_free(struct table *t)
{
	rows_free(&t->rows);
}
