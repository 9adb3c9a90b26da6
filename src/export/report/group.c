/* SPDX-License-Identifier: MIT */
/* A row of the leader and those of the members with the same keys are one; a row without one in the leader is added. */
#include "export/report/group.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/rows/stack_tree.h"

/* The numbers of the keys of rows, which mean the same for all events of a profile. */
struct joiner {
	struct report_table *t;
	struct stack_tree tree;
	struct key_set keys;
};

static uint32_t number_of(struct joiner *j, const struct hist_entry *row)
{
	const struct report_table *t = j->t;
	uint64_t values[COLUMNS_MAX];

	for (size_t i = 0; i < t->opts.nr_keys; i++)
		values[i] = hist_key_is_of_cell(t->keys[i]) ?
			    hist_key_of_cell(t->keys[i], &t->opts, &j->tree, &t->x->profile->cells.at[row->cell]) :
			    t->keys[i]->of_frame(&j->tree, row->frame);
	return key_set_number(&j->keys, values);
}

/* A row that the leader has no samples of. */
static struct hist_entry empty_row(const struct hist_entry *like)
{
	return (struct hist_entry){ .cell = like->cell, .task = like->task, .last_task = like->last_task,
				    .frame = like->frame, .group = like->group, .part = like->part };
}

static int join_rows(struct joiner *j)
{
	struct report_table *t = j->t;
	struct hists *hists = &t->hists;

	for (size_t i = 0; i < hists->list.n; i++) {
		hists->list.at[i].joined = number_of(j, &hists->list.at[i]);
		if (hists->list.at[i].joined == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
	}
	for (size_t m = 0; m < t->nr_members; m++)
		for (size_t i = 0; i < t->members[m].hists.list.n; i++) {
			struct hist_entry *row = &t->members[m].hists.list.at[i];
			uint32_t known = j->keys.n;

			row->joined = number_of(j, row);
			if (row->joined == HASH_INDEX_NONE)
				return -SONDE_NOMEM;
			if (row->joined < known)
				continue;
			if (vec_push(&hists->list, empty_row(row)) < 0)
				return -SONDE_NOMEM;
			hists->list.at[hists->list.n - 1].joined = row->joined;
		}
	return 0;
}

static int link_rows(struct joiner *j)
{
	struct report_table *t = j->t;

	t->member_rows = malloc((j->keys.n * t->nr_members + 1) * sizeof(*t->member_rows));
	if (!t->member_rows)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < j->keys.n * t->nr_members; i++)
		t->member_rows[i] = NO_ROW;
	for (size_t m = 0; m < t->nr_members; m++)
		for (uint32_t i = 0; i < t->members[m].hists.list.n; i++)
			t->member_rows[t->members[m].hists.list.at[i].joined * t->nr_members + m] = i;
	return 0;
}

static bool is_figure(const struct report_table *t, hist_order order)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i].type->order == order)
			return t->columns[i].type->figure;
	return true;
}

/* The order of two rows by a figure of a member. */
static int compare_member(const struct report_table *t, size_t member, hist_order order, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	static const struct hist_entry none;
	const struct hist_entry *x = report_table_member_row(t, a, member), *y = report_table_member_row(t, b, member);

	return order(&t->members[member].opts, t->x->profile, x ? x : &none, y ? y : &none);
}

/* By each figure: first that of the event that was asked for, then those of the others, in their order. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct report_table *t = ctx;
	size_t first = t->x->report.group_sort;
	int r = 0;

	for (size_t i = 0; i < t->opts.nr_orders && r == 0; i++) {
		bool figure = is_figure(t, t->orders[i]);

		if (figure && first && first <= t->nr_members)
			r = compare_member(t, first - 1, t->orders[i], a, b);
		if (r == 0)
			r = t->orders[i](&t->opts, t->x->profile, a, b);
		for (size_t m = 0; m < t->nr_members && figure && r == 0; m++)
			r = compare_member(t, m, t->orders[i], a, b);
	}
	return r ? r : hists_compare_names(t->x->profile, a, b);
}

int group_join(struct report_table *t)
{
	struct joiner j = { .t = t, .keys.width = t->opts.nr_keys };
	int r = stack_tree_init(&j.tree, t->x->profile, t->opts.keys, t->opts.nr_keys, false);

	if (r == 0)
		r = join_rows(&j);
	if (r == 0)
		r = link_rows(&j);
	if (r == 0 && t->hists.list.n)
		qsort_r(t->hists.list.at, t->hists.list.n, sizeof(*t->hists.list.at), compare_rows, t);
	stack_tree_free(&j.tree);
	key_set_free(&j.keys);
	return r;
}

int group_make(struct report_table *t, struct export *x, const uint32_t *events, size_t n)
{
	int r = report_table_begin(t, x, events[0]);

	if (r == 0 && n > 1) {
		t->members = calloc(n - 1, sizeof(*t->members));
		if (!t->members)
			return -SONDE_NOMEM;
	}
	for (; t->nr_members + 1 < n && r == 0; t->nr_members++)
		r = report_table_begin(&t->members[t->nr_members], x, events[t->nr_members + 1]);
	if (r == 0 && n > 1)
		r = group_join(t);
	return r < 0 ? r : report_table_finish(t);
}

uint32_t group_size(const struct export *x, uint32_t i)
{
	const struct sonde_report_opts *o = &x->report;
	const struct sonde_profile_event *e = x->profile->events.at;
	uint32_t n = 1;

	if ((!o->group && !o->group_all) || x->opts.event ||
	    (x->opts.event_number && x->opts.event_number - 1 != i) || x->profile->kept.by & SONDE_BY_TRACE_FIELDS)
		return 1;
	while (i + n < x->profile->events.n && (o->group_all || e[i + n].leader == e[i].leader))
		n++;
	return n;
}

size_t group_events(const struct export *x, uint32_t i, uint32_t chosen, uint32_t *events)
{
	uint32_t end = i + group_size(x, i);
	size_t n = 0;

	if (export_names_event(x) && i != chosen)
		return 0;
	for (; i < end; i++)
		if (x->profile->events.at[i].samples)
			events[n++] = i;
	return n;
}
