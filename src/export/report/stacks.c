/* SPDX-License-Identifier: MIT */
#include "export/report/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "export/report/text.h"

enum { VALUE_MARGIN = 11, FUNCTION_MARGIN = 16 };

/* Stacks that end in a node. */
struct ending {
	uint32_t node;             /* number in hists.tree */
	struct weight own;           /* weight of the stacks that end here */
};

struct stacks_of_row {
	const struct report_table *t;
	const struct hist_entry *row;
	VEC(struct ending) endings;
	VEC(uint32_t) path;          /* the nodes of a stack, from the row on */
};

static int compare_endings(const void *x, const void *y)
{
	const struct ending *a = x, *b = y;

	if (a->own.period != b->own.period)
		return a->own.period > b->own.period ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static int find_endings(struct stacks_of_row *s)
{
	const struct sonde_report_opts *o = &s->t->x->report;
	double percent = o->graph_limit < 0 ? 0 : o->graph_limit == 0 ? 0.5 : o->graph_limit;
	uint64_t least = (uint64_t)((double)s->t->hists.total * percent / 100);

	for (uint32_t i = s->row->tree; i < s->row->tree + s->row->nr_tree; i++) {
		const struct call_node *b = &s->t->hists.tree.at[i];
		struct ending e = { i, weight_less((struct weight){ b->value, b->samples }, b->inner) };

		if (e.own.period && e.own.period >= least && vec_push(&s->endings, e) < 0)
			return -SONDE_NOMEM;
	}
	if (s->endings.n)
		qsort(s->endings.at, s->endings.n, sizeof(*s->endings.at), compare_endings);
	if (o->graph_branches && s->endings.n > o->graph_branches)
		s->endings.n = o->graph_branches;
	return 0;
}

static int find_path(struct stacks_of_row *s, uint32_t node)
{
	s->path.n = 0;
	for (; node != UINT32_MAX; node = s->t->hists.tree.at[node].parent)
		if (vec_push(&s->path, node) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static void put_flat(struct buf *b, const struct stacks_of_row *s, const struct ending *e)
{
	const struct call_node *node = &s->t->hists.tree.at[e->node];

	buf_pad(b, ' ', VALUE_MARGIN);
	report_put_value(b, s->t, (struct weight){ node->value, node->samples }, s->t->hists.total);
	buf_char(b, '\n');
	for (size_t i = s->path.n; i-- > 0;) {
		buf_pad(b, ' ', FUNCTION_MARGIN);
		report_put_function(b, s->t, s->t->hists.tree.at[s->path.at[i]].frame);
		buf_char(b, '\n');
	}
	buf_char(b, '\n');
}

static void put_folded(struct buf *b, const struct stacks_of_row *s, const struct ending *e)
{
	char separator = s->t->x->report.separator ? s->t->x->report.separator : ';';

	report_put_value(b, s->t, e->own, s->t->hists.total);
	for (size_t i = s->path.n; i-- > 0;) {
		buf_char(b, i + 1 == s->path.n ? ' ' : separator);
		report_put_function(b, s->t, s->t->hists.tree.at[s->path.at[i]].frame);
	}
	buf_char(b, '\n');
}

int report_put_stacks(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	struct stacks_of_row s = { .t = t, .row = row };
	int r = find_endings(&s);

	for (size_t i = 0; i < s.endings.n && r == 0; i++) {
		r = find_path(&s, s.endings.at[i].node);
		if (r == 0 && t->x->report.graph_style == SONDE_GRAPH_FLAT)
			put_flat(b, &s, &s.endings.at[i]);
		else if (r == 0)
			put_folded(b, &s, &s.endings.at[i]);
	}
	vec_free(&s.endings);
	vec_free(&s.path);
	return r;
}
