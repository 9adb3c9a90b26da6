/* SPDX-License-Identifier: MIT */
#include "analyze/row_tree.h"

#include <math.h>

struct bud {
	struct shoot shoot;
	uint32_t symbol;
};

struct shoot_range { size_t from, to; };

int row_tree_init(struct row_tree *t, struct forest *f, const struct rows_opts *opts, struct rows *rows)
{
	*t = (struct row_tree){ .forest = f, .opts = opts, .rows = rows };
	t->branch_of_symbol = calloc(f->nr_symbols + 1, sizeof(*t->branch_of_symbol));
	return t->branch_of_symbol ? 0 : -SONDE_NOMEM;
}

void row_tree_free(struct row_tree *t)
{
	vec_free(&t->shoots);
	vec_free(&t->buds);
	vec_free(&t->ranges);
	free(t->branch_of_symbol);
}

static int add_bud(struct row_tree *t, struct shoot s)
{
	return vec_push(&t->buds, ((struct bud){ s, t->forest->symbol_of_frame[forest_frame(t->forest, s.stack)] }));
}

/* Where a shoot goes on: to the one caller, or to all that were called. */
static int add_next(struct row_tree *t, const struct shoot *s)
{
	struct forest *f = t->forest;
	struct shoot next = *s;

	if (t->opts->callee) {  /* many have the same caller: their sum is gathered there */
		next.stack = forest_parent(f, s->stack);
		if (!next.stack)
			return 0;
		weight_add(&f->other[next.stack], s->value);
		return f->other[next.stack].period == s->value.period ? add_bud(t, next) : 0;
	}
	for (next.stack = f->first_child[s->stack]; next.stack; next.stack = f->next[next.stack]) {
		next.value = s->other ? f->other[next.stack] : weight_less(f->weight[next.stack], f->other[next.stack]);
		if (next.value.period && add_bud(t, next) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static void take_sums(struct row_tree *t)
{
	for (size_t i = 0; i < t->buds.n; i++) {
		struct shoot *s = &t->buds.at[i].shoot;

		s->value = t->forest->other[s->stack];
		t->forest->other[s->stack] = (struct weight){ 0 };
	}
}

/* The least value of a branch worth showing, of `whole` or of all. */
static uint64_t limit_of(const struct row_tree *t, uint64_t whole)
{
	double limit = t->opts->graph_limit / 100;

	return t->opts->relative ? (uint64_t)ceil((double)whole * limit) : (uint64_t)((double)t->rows->total * limit);
}

/* Makes branches of the buds, those of one symbol together, and their shoots. Returns what all buds weigh in *all. */
static int grow_buds(struct row_tree *t, uint32_t parent, size_t first_branch, struct weight *all)
{
	struct rows *rows = t->rows;
	size_t from = rows->tree.n, kept = from, at;
	uint64_t limit;
	int r = 0;

	*all = (struct weight){ 0 };
	for (size_t i = 0; i < t->buds.n; i++) {
		struct bud *b = &t->buds.at[i];
		uint32_t *branch = &t->branch_of_symbol[b->symbol];

		weight_add(all, b->shoot.value);
		if (!*branch) {
			if (vec_push(&rows->tree, ((struct branch){ .parent = parent, .frame = forest_frame(t->forest, b->shoot.stack) })) < 0)
				r = -SONDE_NOMEM;
			else
				*branch = (uint32_t)rows->tree.n;
		}
		if (*branch) {
			rows->tree.at[*branch - 1].value += b->shoot.value.period;
			rows->tree.at[*branch - 1].samples += b->shoot.value.samples;
		}
	}
	/* Small ones go; `inner` counts the shoots of those that stay until they are laid out. */
	limit = limit_of(t, all->period);
	for (at = from; at < rows->tree.n; at++) {
		struct branch b = rows->tree.at[at];
		uint32_t symbol = t->forest->symbol_of_frame[b.frame];

		if (b.value == 0 || b.value < limit) {
			t->branch_of_symbol[symbol] = 0;
			continue;
		}
		rows->tree.at[kept++] = b;
		t->branch_of_symbol[symbol] = (uint32_t)kept;
	}
	rows->tree.n = kept;
	for (size_t i = 0; i < t->buds.n; i++) {
		uint32_t branch = t->branch_of_symbol[t->buds.at[i].symbol];

		if (branch)
			rows->tree.at[branch - 1].inner.period++;
	}
	at = t->shoots.n;
	if (vec_reserve(&t->shoots, t->buds.n) < 0 || vec_reserve(&t->ranges, kept - from) < 0)
		r = -SONDE_NOMEM;
	for (size_t i = from; i < kept && r == 0; i++) {
		t->ranges.at[i - first_branch] = (struct shoot_range){ at, at };
		t->ranges.n++;
		at += rows->tree.at[i].inner.period;
		rows->tree.at[i].inner = (struct weight){ 0 };
	}
	if (r == 0)
		t->shoots.n = at;
	for (size_t i = 0; i < t->buds.n; i++) {
		uint32_t branch = t->branch_of_symbol[t->buds.at[i].symbol];

		if (branch && r == 0)
			t->shoots.at[t->ranges.at[branch - 1 - first_branch].to++] = t->buds.at[i].shoot;
	}
	for (size_t i = 0; i < t->buds.n; i++)
		t->branch_of_symbol[t->buds.at[i].symbol] = 0;
	t->buds.n = 0;
	return r;
}

int row_tree_grow(struct row_tree *t, struct row *row)
{
	struct rows *rows = t->rows;
	size_t first = rows->tree.n;
	struct weight all;
	int r = 0;

	t->ranges.n = 0;
	for (size_t i = 0; i < t->shoots.n && r == 0; i++)
		r = add_bud(t, t->shoots.at[i]);
	t->shoots.n = 0;
	if (r == 0)
		r = grow_buds(t, UINT32_MAX, first, &row->inner);
	for (size_t at = first; at < rows->tree.n && r == 0; at++) {
		struct shoot_range range = t->ranges.at[at - first];

		for (size_t i = range.from; i < range.to && r == 0; i++)
			r = add_next(t, &t->shoots.at[i]);
		if (t->opts->callee)
			take_sums(t);
		if (r == 0)
			r = grow_buds(t, (uint32_t)at, first, &all);
		if (r == 0)
			rows->tree.at[at].inner = all;
	}
	t->shoots.n = 0;
	row->tree = (uint32_t)first;
	row->nr_tree = (uint32_t)(rows->tree.n - first);
	return r;
}
