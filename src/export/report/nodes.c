/* SPDX-License-Identifier: MIT */
#include "export/report/nodes.h"

#include "export/report/graph.h"

/* The nodes of one row by parent, and the children on the way to the current node that are still to come. */
struct nodes_walk {
	const struct report_table *t;
	const struct hist_entry *row;
	VEC(uint32_t) sorted;        /* numbers in hists.tree */
	VEC(uint32_t) first;         /* by node of the row: index in `sorted` of its first child; last: of the row */
	VEC(uint32_t) path;          /* indexes in `sorted` */
};

static const struct call_node *node_at(const struct nodes_walk *w, uint32_t number)
{
	return &w->t->hists.tree.at[number];
}

static int sort_nodes(struct nodes_walk *w)
{
	uint32_t n = w->row->nr_tree;

	for (uint32_t i = 0; i < n; i++)
		if (vec_push(&w->sorted, w->row->tree + i) < 0)
			return -SONDE_NOMEM;
	for (uint32_t i = 0; i <= n; i++)
		if (vec_push(&w->first, UINT32_MAX) < 0)
			return -SONDE_NOMEM;
	report_sort_branches(w->t, w->sorted.at, n);
	for (uint32_t i = n; i-- > 0;) {
		uint32_t parent = node_at(w, w->sorted.at[i])->parent;

		w->first.at[parent == UINT32_MAX ? n : parent - w->row->tree] = i;
	}
	return 0;
}

static uint64_t whole_of(const struct nodes_walk *w, uint32_t number)
{
	uint32_t parent = node_at(w, number)->parent;

	if (!w->t->opts.relative)
		return w->t->hists.total;
	return parent == UINT32_MAX ? w->row->children : node_at(w, parent)->inner.period;
}

/* Whether the node at an index of `sorted` is a child of the same node as the one before it. */
static bool is_sibling(const struct nodes_walk *w, uint32_t at)
{
	return at < w->sorted.n &&
	       node_at(w, w->sorted.at[at])->parent == node_at(w, w->sorted.at[at - 1])->parent;
}

static int list_all(struct report_nodes *nodes, struct nodes_walk *w)
{
	uint32_t at = w->first.at[w->row->nr_tree];

	if (at != UINT32_MAX && vec_push(&w->path, at) < 0)
		return -SONDE_NOMEM;
	while (w->path.n) {
		uint32_t number, child;

		at = w->path.at[w->path.n - 1];
		number = w->sorted.at[at];
		child = w->first.at[number - w->row->tree];
		if (vec_push(&nodes->list, ((struct report_node){ .number = number, .depth = (uint32_t)w->path.n - 1,
								  .has_children = child != UINT32_MAX,
								  .whole = whole_of(w, number) })) < 0)
			return -SONDE_NOMEM;
		if (child != UINT32_MAX) {
			if (vec_push(&w->path, child) < 0)
				return -SONDE_NOMEM;
			continue;
		}
		while (w->path.n && !is_sibling(w, ++w->path.at[w->path.n - 1]))
			w->path.n--;
	}
	return 0;
}

int report_list_nodes(struct report_nodes *nodes, const struct report_table *t, const struct hist_entry *row)
{
	struct nodes_walk w = { .t = t, .row = row };
	int r;

	nodes->list.n = 0;
	if (row->nr_tree == 0)
		return 0;
	r = sort_nodes(&w);
	if (r == 0)
		r = list_all(nodes, &w);
	vec_free(&w.sorted);
	vec_free(&w.first);
	vec_free(&w.path);
	return r;
}

void report_free_nodes(struct report_nodes *nodes)
{
	vec_free(&nodes->list);
}
