/* SPDX-License-Identifier: MIT */
/* report.c - a table of rows and the call trees below them, as `perf report --stdio` shows them. */
#include <string.h>

#include "export/frame_name.h"
#include "export/table.h"

enum { LEFT_MARGIN = 12, STEP = 10, FIGURE_WIDTH = 8, WIDE_FIGURE = 12, TASK_NUMBER = 8 };

static const char *const titles[NR_ROW_KEYS] = {
	[ROW_COMM] = "Command", [ROW_PID] = "    Pid:Command", [ROW_TID] = "    Tid:Command", [ROW_DSO] = "Shared Object",
	[ROW_SYM] = "Symbol", [ROW_CPU] = "CPU", [ROW_EVENT] = "Event",
};

static const char *title_of(const struct table *t, const struct column *c)
{
	switch (c->kind) {
	case COLUMN_CHILDREN: return "Children";
	case COLUMN_SELF: return t->x->opts.children ? "Self" : "Overhead";
	case COLUMN_SAMPLES: return "Samples";
	case COLUMN_PERIOD: return "Period";
	case COLUMN_KEY: break;
	}
	return titles[c->key];
}

static uint32_t width_of(const struct table *t, const struct column *c)
{
	uint32_t title = (uint32_t)strlen(title_of(t, c));

	if (c->kind != COLUMN_KEY)
		return c->kind <= COLUMN_SELF ? FIGURE_WIDTH : WIDE_FIGURE;
	return c->width > title ? c->width : title;
}

static void put_head(struct buf *b, const struct table *t)
{
	buf_str(b, "# ");
	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];
		const char *title = title_of(t, c);

		if (c->hidden)
			continue;
		if (shown++)
			buf_str(b, "  ");
		if (c->kind == COLUMN_KEY)
			buf_str_left(b, title, strlen(title), (int)width_of(t, c));
		else
			buf_str_right(b, title, strlen(title), (int)width_of(t, c));
	}
	buf_str(b, "\n# ");
	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		if (t->columns[i].hidden)
			continue;
		if (shown++)
			buf_str(b, "  ");
		buf_pad(b, '.', width_of(t, &t->columns[i]));
	}
	buf_str(b, "\n#\n");
}

static double percent(uint64_t value, uint64_t of)
{
	return of ? 100.0 * (double)value / (double)of : 0;
}

static void put_percent(struct buf *b, uint64_t value, uint64_t of)
{
	buf_printf(b, "%7.2f%%", percent(value, of));
}

static void put_row(struct buf *b, const struct table *t, const struct row *row)
{
	buf_str(b, "  ");
	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];
		size_t from;

		if (c->hidden)
			continue;
		if (shown++)
			buf_str(b, "  ");
		switch (c->kind) {
		case COLUMN_CHILDREN:
			put_percent(b, row->children, t->rows.total);
			break;
		case COLUMN_SELF:
			put_percent(b, row->self, t->rows.total);
			break;
		case COLUMN_SAMPLES:
			buf_u64_width(b, row->samples, WIDE_FIGURE);
			break;
		case COLUMN_PERIOD:
			buf_u64_width(b, row->self, WIDE_FIGURE);
			break;
		case COLUMN_KEY:
			from = b->n + b->written;
			table_put_key(b, t, c->key, row);
			from = b->n + b->written - from;
			/* the last column is padded too, but for symbols: those are longest of all */
			if (from < width_of(t, c) && (c->key != ROW_SYM || i + 1 < t->nr_columns))
				buf_pad(b, ' ', width_of(t, c) - from);
		}
	}
	buf_char(b, '\n');
}

/* Branches of one row in the order in which they are shown; those that hang on one branch stand together. */
struct graph {
	const struct table *t;
	const struct row *row;
	struct buf *out;
	VEC(uint32_t) order;         /* numbers in rows.tree */
	VEC(uint32_t) first;         /* by branch of this row, and at the end the row itself: where its branches begin in order */
	VEC(struct twig) path;       /* what is being shown */
	VEC(char) bars;              /* by level: does a line go on there? */
};

struct twig {
	uint32_t at, end;            /* in order */
	uint64_t whole;              /* of what its percentages are */
	uint64_t rest;               /* of the relative mode: what is not shown */
	uint32_t margin;             /* of bars[0] */
};

static const struct branch *branch_at(const struct graph *g, uint32_t number)
{
	return &g->t->rows.tree.at[number];
}

static int compare_branches(const void *x, const void *y, void *ctx)
{
	const struct graph *g = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct branch *a = branch_at(g, i), *b = branch_at(g, k);
	struct sonde_profile_frame f, h;
	int r;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	sonde_profile_frame(g->t->x->profile, a->frame, &f);
	sonde_profile_frame(g->t->x->profile, b->frame, &h);
	r = strcmp(f.symbol ? f.symbol : "", h.symbol ? h.symbol : "");
	return r ? r : (i > k) - (i < k);
}

/* The row's number in `first`. */
static uint32_t place_of_parent(const struct graph *g, uint32_t parent)
{
	return parent == UINT32_MAX ? g->row->nr_tree : parent - g->row->tree;
}

static int sort_branches(struct graph *g)
{
	uint32_t n = g->row->nr_tree;

	g->order.n = g->first.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (vec_push(&g->order, g->row->tree + i) < 0)
			return -SONDE_NOMEM;
	for (uint32_t i = 0; i <= n; i++)
		if (vec_push(&g->first, UINT32_MAX) < 0)
			return -SONDE_NOMEM;
	qsort_r(g->order.at, n, sizeof(*g->order.at), compare_branches, g);
	for (uint32_t i = n; i-- > 0;)
		g->first.at[place_of_parent(g, branch_at(g, g->order.at[i])->parent)] = i;
	return 0;
}

/* Begins to show what hangs on a branch or (UINT32_MAX) on the row. */
static int descend(struct graph *g, uint32_t parent, uint64_t whole, uint64_t inner, uint32_t margin)
{
	uint32_t from = g->first.at[place_of_parent(g, parent)], to = from;
	struct twig t = { .at = from, .whole = whole, .rest = inner, .margin = margin };

	if (from == UINT32_MAX)
		return 0;
	for (; to < g->order.n && branch_at(g, g->order.at[to])->parent == parent; to++)
		t.rest -= branch_at(g, g->order.at[to])->value;
	t.end = to;
	if (!g->t->x->opts.relative)
		t.rest = 0;
	else
		t.whole = inner;
	return vec_push(&g->path, t) < 0 || vec_push(&g->bars, '|') < 0 ? -SONDE_NOMEM : 0;
}

static void put_bars(struct graph *g, uint32_t margin, size_t levels)
{
	buf_pad(g->out, ' ', margin);
	for (size_t i = 0; i < levels; i++) {
		buf_char(g->out, g->bars.at[i]);
		buf_pad(g->out, ' ', STEP);
	}
}

static void put_symbol_of(struct graph *g, uint32_t frame)
{
	struct sonde_profile_frame f;

	sonde_profile_frame(g->t->x->profile, frame, &f);
	if (f.symbol)
		buf_text(g->out, f.symbol, strlen(f.symbol));
	else if (f.size)
		frame_put_nameless(g->out, &f);
	else
		buf_printf(g->out, f.addr ? "0x%llx" : "%llx", (unsigned long long)f.addr);
	buf_char(g->out, '\n');
}

/* The one branch that a branch goes on with, all of it; UINT32_MAX if it forks or ends. */
static uint32_t only_branch(const struct graph *g, uint32_t number)
{
	uint32_t at = g->first.at[number - g->row->tree], next;

	if (at == UINT32_MAX)
		return UINT32_MAX;
	next = g->order.at[at];
	return branch_at(g, next)->value == branch_at(g, number)->value ? next : UINT32_MAX;
}

/* The lines behind the first one of a branch; returns the last frame's branch. */
static uint32_t put_chain(struct graph *g, uint32_t number, uint32_t margin)
{
	for (uint32_t next; (next = only_branch(g, number)) != UINT32_MAX; number = next) {
		put_bars(g, margin, g->bars.n);
		put_symbol_of(g, branch_at(g, next)->frame);
	}
	return number;
}

static int put_branches(struct graph *g)
{
	while (g->path.n) {
		struct twig *t = &g->path.at[g->path.n - 1];
		uint32_t margin = t->margin, number;
		uint64_t whole = t->whole;
		size_t level = g->path.n - 1;

		if (t->at == t->end) {
			if (t->rest) {
				put_bars(g, margin, level);
				buf_printf(g->out, " --%.2f%%--[...]\n", percent(t->rest, whole));
			}
			g->path.n--;
			g->bars.n--;
			continue;
		}
		number = g->order.at[t->at++];
		put_bars(g, margin, level + 1);
		buf_char(g->out, '\n');
		if (t->at == t->end && !t->rest)
			g->bars.at[level] = ' ';
		put_bars(g, margin, level);
		buf_char(g->out, g->bars.at[level]);
		buf_printf(g->out, "--%.2f%%--", percent(branch_at(g, number)->value, whole));
		put_symbol_of(g, branch_at(g, number)->frame);
		number = put_chain(g, number, margin);
		if (descend(g, number, whole, branch_at(g, number)->inner, margin) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* A tree with one trunk that is all of the row begins without a percentage. */
static int put_trunk(struct graph *g, uint32_t number)
{
	bool skip = g->t->first_key == ROW_SYM;  /* the row begins with its name already */
	uint32_t margin = LEFT_MARGIN;

	for (uint32_t next = number; next != UINT32_MAX; next = only_branch(g, number)) {
		number = next;
		if (skip) {
			skip = false;
			continue;
		}
		if (margin == LEFT_MARGIN) {
			buf_pad(g->out, ' ', margin);
			buf_str(g->out, "|\n");
			buf_pad(g->out, ' ', margin);
			buf_str(g->out, "---");
			margin += 3;
		} else {
			buf_pad(g->out, ' ', margin);
		}
		put_symbol_of(g, branch_at(g, number)->frame);
	}
	return descend(g, number, g->t->rows.total, g->row->children, margin);
}

static int put_graph(struct graph *g)
{
	uint64_t before = g->out->n + g->out->written;
	uint32_t top;
	int r;

	if (g->row->nr_tree == 0)
		return 0;
	if (sort_branches(g) < 0)
		return -SONDE_NOMEM;
	top = g->order.at[g->first.at[g->row->nr_tree]];
	if (branch_at(g, top)->value == g->row->children)
		r = put_trunk(g, top);
	else
		r = descend(g, UINT32_MAX, g->t->rows.total, g->row->children, LEFT_MARGIN);
	if (r == 0)
		r = put_branches(g);
	if (g->out->n + g->out->written > before)
		buf_char(g->out, '\n');
	return r;
}

static const struct { uint64_t least, unit; char letter; } units[] = {
	{ 1000000001, 1000000000, 'G' }, { 1000001, 1000000, 'M' }, { 1001, 1000, 'K' },
};

/* "10K" */
static void put_rounded(struct buf *b, uint64_t n)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (n >= units[i].least) {
			buf_u64(b, n / units[i].unit);
			buf_char(b, units[i].letter);
			return;
		}
	buf_u64(b, n);
	buf_char(b, ' ');
}

/* What all rows have in common, because a filter says so. */
static void put_hidden(struct buf *b, const struct table *t)
{
	const struct sonde_export_opts *o = &t->x->opts;
	bool any = false;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];
		const char *value;

		if (!c->hidden)
			continue;
		value = c->key == ROW_COMM ? t->x->profile->comms.at[0] : c->key == ROW_DSO ? o->dsos[0] : o->symbols[0];
		any = true;
		buf_printf(b, "# %s: ", column_word(t, c));
		buf_text(b, value, strlen(value));
		buf_char(b, '\n');
	}
	if (any)
		buf_str(b, "#\n");
}

static void put_event(struct buf *b, const struct table *t)
{
	const struct sonde_profile_event *e = &t->x->profile->events.at[t->event];

	put_hidden(b, t);
	buf_str(b, "# Samples: ");
	put_rounded(b, e->samples);
	buf_str(b, " of event '");
	buf_text(b, e->name, strlen(e->name));
	buf_str(b, "'\n# Event count (approx.): ");
	buf_u64(b, t->x->opts.of_shown ? t->rows.total : e->period);
	buf_str(b, "\n#\n");
}

static int put_table(struct buf *b, const struct table *t)
{
	struct graph g = { .t = t, .out = b };
	int r = 0;

	put_event(b, t);
	put_head(b, t);
	for (size_t i = 0; i < t->rows.list.n && r == 0; i++) {
		g.row = &t->rows.list.at[i];
		put_row(b, t, g.row);
		r = put_graph(&g);
	}
	vec_free(&g.order);
	vec_free(&g.first);
	vec_free(&g.path);
	vec_free(&g.bars);
	return r;
}

int export_report(struct export *x)
{
	struct table t;
	bool another = false, any = false;
	int r = export_event(x), failed;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < x->profile->events.n; i++) {
		if (!x->profile->events.at[i].samples || (x->opts.event && (uint32_t)r != i))
			continue;
		if (another)
			buf_str(x->out, "\n\n");
		another = true;
		failed = table_make(&t, x, i);
		if (failed == 0)
			failed = put_table(x->out, &t);
		any = any || t.rows.list.n;
		table_free(&t);
		if (failed < 0)
			return failed;
	}
	return any;
}
