/* SPDX-License-Identifier: MIT */
#include "export/report/graph.h"

#include <string.h>

#include "export/report/column_rows.h"
#include "export/report/text.h"

enum { LEFT_MARGIN = 12, STEP = 10 };

/* Nodes of one row in the order of their lines; children of one node are adjacent. */
struct graph {
	const struct report_table *t;
	const struct hist_entry *row;
	struct buf *out;
	VEC(uint32_t) order;         /* numbers in rows.tree */
	/* by node of this row: the index in order of its first child; the last element is that of the row itself */
	VEC(uint32_t) first;
	VEC(struct twig) path;       /* the nodes from the row to the current one */
	VEC(char) bars;              /* by level: does a line continue there? */
};

struct twig {
	uint32_t at, end;            /* in order */
	uint64_t whole;              /* the weight that is 100 percent */
	struct weight rest;          /* in relative mode: the weight of hidden nodes */
	uint32_t margin;             /* columns before bars[0] */
	bool more;                   /* nodes after end are left out, because there are too many */
};

static const struct call_node *branch_at(const struct graph *g, uint32_t number)
{
	return &g->t->hists.tree.at[number];
}

/* Orders by name; functions without a name by binary. Then by falling address, as perf does. */
static int compare_functions(const struct report_table *t, uint32_t a, uint32_t b)
{
	struct sonde_profile_frame f, h;
	int r;

	profile_frame(t->x->profile, a, &f);
	profile_frame(t->x->profile, b, &h);
	r = strcmp(f.symbol ? f.symbol : "", h.symbol ? h.symbol : "");
	if (!r && f.symbol)
		return ORDER(t->x->profile->frames.list.at[b].place, t->x->profile->frames.list.at[a].place);
	if (r)
		return r;
	r = !f.dso || !h.dso ? !f.dso - !h.dso : strcmp(f.dso, h.dso);
	return r ? r : (f.addr < h.addr) - (f.addr > h.addr);
}

static int compare_branches(const void *x, const void *y, void *ctx)
{
	const struct report_table *t = ctx;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct call_node *a = &t->hists.tree.at[i], *b = &t->hists.tree.at[k];
	int r;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	r = compare_functions(t, a->frame, b->frame);
	return r ? r : (i > k) - (i < k);
}

void report_sort_branches(const struct report_table *t, uint32_t *numbers, size_t n)
{
	qsort_r(numbers, n, sizeof(*numbers), compare_branches, (void *)t);
}

/* The index in `first` of the row. */
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
	report_sort_branches(g->t, g->order.at, n);
	for (uint32_t i = n; i-- > 0;)
		g->first.at[place_of_parent(g, branch_at(g, g->order.at[i])->parent)] = i;
	return 0;
}

static struct weight weight_of(const struct call_node *b)
{
	return (struct weight){ b->value, b->samples };
}

/* Begins with the children of a node, or (UINT32_MAX) of the row. */
static int descend(struct graph *g, uint32_t parent, uint64_t whole, struct weight inner, uint32_t margin)
{
	uint32_t from = g->first.at[place_of_parent(g, parent)], to = from;
	struct twig t = { .at = from, .whole = whole, .rest = inner, .margin = margin };
	uint32_t most = g->t->x->report.graph_branches;

	if (from == UINT32_MAX)
		return 0;
	for (; to < g->order.n && branch_at(g, g->order.at[to])->parent == parent && (!most || to - from < most); to++)
		t.rest = weight_less(t.rest, weight_of(branch_at(g, g->order.at[to])));
	t.end = to;
	t.more = to < g->order.n && branch_at(g, g->order.at[to])->parent == parent;
	if (g->t->opts.relative)
		t.whole = inner.period;
	else
		t.rest = (struct weight){ 0 };
	return vec_push(&g->path, t) < 0 || vec_push(&g->bars, '|') < 0 ? -SONDE_NOMEM : 0;
}

static void put_node(struct graph *g, uint32_t number)
{
	report_put_node(g->out, g->t, number);
	buf_char(g->out, '\n');
}

static void put_bars(struct graph *g, uint32_t margin, size_t levels)
{
	buf_pad(g->out, ' ', margin);
	for (size_t i = 0; i < levels; i++) {
		buf_char(g->out, g->bars.at[i]);
		buf_pad(g->out, ' ', STEP);
	}
}

/* The only child of a node, if it has the node's whole weight; UINT32_MAX if the node forks or ends. */
static uint32_t only_branch(const struct graph *g, uint32_t number)
{
	uint32_t at = g->first.at[number - g->row->tree], next;

	if (at == UINT32_MAX)
		return UINT32_MAX;
	next = g->order.at[at];
	return branch_at(g, next)->value == branch_at(g, number)->value ? next : UINT32_MAX;
}

/* The lines after the first one of a node; returns the node of the last frame. */
static uint32_t put_chain(struct graph *g, uint32_t number, uint32_t margin)
{
	for (uint32_t next; (next = only_branch(g, number)) != UINT32_MAX; number = next) {
		put_bars(g, margin, g->bars.n);
		put_node(g, next);
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
			if (t->rest.period && (t->rest.samples || g->t->x->report.graph_value != SONDE_GRAPH_COUNT)) {
				put_bars(g, margin, level);
				buf_str(g->out, " --");
				report_put_value(g->out, g->t, t->rest, whole);
				buf_str(g->out, "--[...]\n");
			}
			g->path.n--;
			g->bars.n--;
			continue;
		}
		number = g->order.at[t->at++];
		put_bars(g, margin, level + 1);
		buf_char(g->out, '\n');
		if (t->at == t->end && !t->rest.period && !t->more)
			g->bars.at[level] = ' ';
		put_bars(g, margin, level);
		buf_char(g->out, g->bars.at[level]);
		buf_str(g->out, "--");
		report_put_value(g->out, g->t, weight_of(branch_at(g, number)), whole);
		buf_str(g->out, "--");
		put_node(g, number);
		number = put_chain(g, number, margin);
		if (descend(g, number, whole, branch_at(g, number)->inner, margin) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* A tree whose trunk has the whole weight of the row begins without a percentage. */
static int put_trunk(struct graph *g, uint32_t number)
{
	/* the row shows the name already */
	bool skip = g->t->symbol_first && !g->t->x->profile->kept.branch_history;
	uint32_t margin = LEFT_MARGIN, lines = 0, most = g->t->x->report.graph_branches;

	for (uint32_t next = number; next != UINT32_MAX; next = only_branch(g, number)) {
		number = next;
		if (skip) {
			skip = false;
			continue;
		}
		if (most && lines++ >= most)
			continue;
		if (margin == LEFT_MARGIN) {
			buf_pad(g->out, ' ', margin);
			buf_str(g->out, "|\n");
			buf_pad(g->out, ' ', margin);
			buf_str(g->out, "---");
			margin += 3;
		} else {
			buf_pad(g->out, ' ', margin);
		}
		put_node(g, number);
	}
	return descend(g, number, g->t->hists.total,
		       (struct weight){ g->row->children, branch_at(g, number)->inner.samples }, margin);
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
		r = descend(g, UINT32_MAX, g->t->hists.total,
			    (struct weight){ g->row->children, g->row->inner.samples }, LEFT_MARGIN);
	if (r == 0)
		r = put_branches(g);
	if (g->out->n + g->out->written > before)
		buf_char(g->out, '\n');
	return r;
}

int report_put_tree(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	struct graph g = { .t = t, .row = row, .out = b };
	int r = put_graph(&g);

	vec_free(&g.order);
	vec_free(&g.first);
	vec_free(&g.path);
	vec_free(&g.bars);
	return r;
}
