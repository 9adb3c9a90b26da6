/* SPDX-License-Identifier: MIT */
#include "analyze/rows/call_tree.h"

#include <math.h>

struct candidate {
	struct stack_ref ref;
	uint32_t symbol;
};

struct ref_range { size_t from, to; };

int call_tree_init(struct call_tree *t, struct stack_tree *f, const struct hists_opts *opts, struct hists *hists)
{
	*t = (struct call_tree){ .stack_tree = f, .opts = opts, .hists = hists };
	t->node_of_symbol = calloc(f->nr_graph_symbols + 1, sizeof(*t->node_of_symbol));
	return t->node_of_symbol ? 0 : -SONDE_NOMEM;
}

void call_tree_free(struct call_tree *t)
{
	vec_free(&t->refs);
	vec_free(&t->candidates);
	vec_free(&t->ranges);
	free(t->node_of_symbol);
}

static int add_candidate(struct call_tree *t, struct stack_ref s)
{
	uint32_t frame = stack_tree_frame(t->stack_tree, s.stack);

	return vec_push(&t->candidates, ((struct candidate){ s, t->stack_tree->graph_symbol_of_frame[frame] }));
}

/* Adds the candidates of the next level: the one caller, or all functions that were called. */
static int add_next(struct call_tree *t, const struct stack_ref *s)
{
	struct stack_tree *f = t->stack_tree;
	struct stack_ref next = *s;

	if (t->opts->callee) {  /* many have the same caller: `other` has their sum */
		next.stack = stack_tree_parent(f, s->stack);
		if (!next.stack)
			return 0;
		weight_add(&f->other[next.stack], s->value);
		return f->other[next.stack].period == s->value.period ? add_candidate(t, next) : 0;
	}
	for (next.stack = f->first_child[s->stack]; next.stack; next.stack = f->next[next.stack]) {
		next.value = s->other ? f->other[next.stack] : weight_less(f->weight[next.stack], f->other[next.stack]);
		if (next.value.period && add_candidate(t, next) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static void take_sums(struct call_tree *t)
{
	for (size_t i = 0; i < t->candidates.n; i++) {
		struct stack_ref *s = &t->candidates.at[i].ref;

		s->value = t->stack_tree->other[s->stack];
		t->stack_tree->other[s->stack] = (struct weight){ 0 };
	}
}

/* The smallest value of a node that is shown: a share of `whole`, or of all samples. */
static uint64_t limit_of(const struct call_tree *t, uint64_t whole)
{
	double limit = t->opts->graph_limit / 100;

	return t->opts->relative ? (uint64_t)ceil((double)whole * limit) : (uint64_t)((double)t->hists->total * limit);
}

/* Counts the branches of nodes up to @n from the candidates. 0 or -SONDE_NOMEM. */
static int sum_branches(struct call_tree *t, size_t n)
{
	struct hists *hists = t->hists;
	const struct sonde_profile *p = t->stack_tree->p;

	while (p->kept.branch_history && hists->branches.n < n)
		if (vec_push(&hists->branches, ((struct branch_sums){ 0 })) < 0)
			return -SONDE_NOMEM;
	for (size_t i = 0; p->kept.branch_history && i < t->candidates.n; i++) {
		const struct candidate *c = &t->candidates.at[i];
		uint32_t node = t->node_of_symbol[c->symbol];

		if (node)
			branch_sums_add(&hists->branches.at[node - 1], &p->frames,
					stack_tree_frame(t->stack_tree, c->ref.stack), c->ref.value.samples);
	}
	return 0;
}

/* Makes a node of all candidates of one symbol. *all: the weight of all candidates. 0 or -SONDE_NOMEM. */
static int add_nodes(struct call_tree *t, uint32_t parent, struct weight *all)
{
	struct hists *hists = t->hists;
	int r = 0;

	*all = (struct weight){ 0 };
	for (size_t i = 0; i < t->candidates.n; i++) {
		struct candidate *b = &t->candidates.at[i];
		uint32_t *node = &t->node_of_symbol[b->symbol];

		weight_add(all, b->ref.value);
		if (!*node) {
			uint32_t frame = stack_tree_frame(t->stack_tree, b->ref.stack);

			if (vec_push(&hists->tree, ((struct call_node){ .parent = parent, .frame = frame })) < 0)
				r = -SONDE_NOMEM;
			else
				*node = (uint32_t)hists->tree.n;
		}
		if (*node) {
			hists->tree.at[*node - 1].value += b->ref.value.period;
			hists->tree.at[*node - 1].samples += b->ref.value.samples;
		}
	}
	return r;
}

/* Leaves out those nodes from @from on whose value is below the limit. */
static void drop_small_nodes(struct call_tree *t, size_t from, uint64_t limit)
{
	struct hists *hists = t->hists;
	size_t kept = from;

	for (size_t at = from; at < hists->tree.n; at++) {
		struct call_node b = hists->tree.at[at];
		uint32_t symbol = t->stack_tree->graph_symbol_of_frame[b.frame];

		if (b.value == 0 || b.value < limit) {
			t->node_of_symbol[symbol] = 0;
			continue;
		}
		hists->tree.at[kept++] = b;
		t->node_of_symbol[symbol] = (uint32_t)kept;
	}
	hists->tree.n = kept;
}

/*
 * Gives each node from @from on the stack_refs of its candidates, side by side in t->refs. Until they are laid out,
 * `inner` of a node counts them. 0 or -SONDE_NOMEM.
 */
static int lay_out_refs(struct call_tree *t, size_t from, size_t first_node)
{
	struct hists *hists = t->hists;
	size_t at = t->refs.n;

	if (vec_reserve(&t->refs, t->candidates.n) < 0 || vec_reserve(&t->ranges, hists->tree.n - from) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < t->candidates.n; i++) {
		uint32_t node = t->node_of_symbol[t->candidates.at[i].symbol];

		if (node)
			hists->tree.at[node - 1].inner.period++;
	}
	for (size_t i = from; i < hists->tree.n; i++) {
		t->ranges.at[i - first_node] = (struct ref_range){ at, at };
		t->ranges.n++;
		at += hists->tree.at[i].inner.period;
		hists->tree.at[i].inner = (struct weight){ 0 };
	}
	t->refs.n = at;
	for (size_t i = 0; i < t->candidates.n; i++) {
		uint32_t node = t->node_of_symbol[t->candidates.at[i].symbol];

		if (node)
			t->refs.at[t->ranges.at[node - 1 - first_node].to++] = t->candidates.at[i].ref;
	}
	return 0;
}

/* Makes the nodes below @parent of all candidates, with their stack_refs. *all: the weight of all candidates. */
static int expand_node(struct call_tree *t, uint32_t parent, size_t first_node, struct weight *all)
{
	size_t from = t->hists->tree.n;
	int r = add_nodes(t, parent, all);

	drop_small_nodes(t, from, limit_of(t, all->period));
	if (sum_branches(t, t->hists->tree.n) < 0 || lay_out_refs(t, from, first_node) < 0)
		r = -SONDE_NOMEM;
	for (size_t i = 0; i < t->candidates.n; i++)
		t->node_of_symbol[t->candidates.at[i].symbol] = 0;
	t->candidates.n = 0;
	return r;
}

int call_tree_expand(struct call_tree *t, struct hist_entry *row)
{
	struct hists *hists = t->hists;
	size_t first = hists->tree.n;
	struct weight all;
	int r = 0;

	t->ranges.n = 0;
	for (size_t i = 0; i < t->refs.n && r == 0; i++)
		r = add_candidate(t, t->refs.at[i]);
	t->refs.n = 0;
	if (r == 0)
		r = expand_node(t, UINT32_MAX, first, &row->inner);
	for (size_t at = first; at < hists->tree.n && r == 0; at++) {
		struct ref_range range = t->ranges.at[at - first];

		for (size_t i = range.from; i < range.to && r == 0; i++)
			r = add_next(t, &t->refs.at[i]);
		if (t->opts->callee)
			take_sums(t);
		if (r == 0)
			r = expand_node(t, (uint32_t)at, first, &all);
		if (r == 0)
			hists->tree.at[at].inner = all;
	}
	t->refs.n = 0;
	row->tree = (uint32_t)first;
	row->nr_tree = (uint32_t)(hists->tree.n - first);
	return r;
}
