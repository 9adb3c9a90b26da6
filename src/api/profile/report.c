/* SPDX-License-Identifier: MIT */
/* report.c - the rows of a report one by one */
#include <sonde/report.h>

#include <stdlib.h>

#include "api/base/error.h"
#include "export/report/chains.h"
#include "export/report/group.h"
#include "export/report/hierarchy.h"
#include "export/report/lines.h"
#include "export/report/nodes.h"
#include "export/report/text.h"

struct sonde_report {
	struct export export;
	struct report_table table;
	struct hierarchy *hierarchy; /* NULL: the rows are those of the table */
	struct buf text, key;        /* that were handed out last */
	struct sonde_report_row row;
	struct sonde_profile_frame frame;
	struct hists tree;           /* with report.graph_later: the row whose tree was made last */
	struct report_nodes nodes;   /* of the tree that was listed last */
	size_t tree_row, nodes_row;  /* of which row; the number of rows: of none */
	struct sonde_report_node node;
};

/* The table of an event, or of the group that it leads. */
static int make_table(struct sonde_report *r, uint32_t event)
{
	struct export *x = &r->export;
	uint32_t *events;
	size_t n;
	int e;

	if (x->report.hierarchy || group_size(x, event) == 1)
		return report_table_make(&r->table, x, event);
	events = calloc(group_size(x, event), sizeof(*events));
	if (!events)
		return -SONDE_NOMEM;
	n = group_events(x, event, event, events);
	e = n ? group_make(&r->table, x, events, n) : report_table_make(&r->table, x, event);
	free(events);
	return e;
}

static int make(struct sonde_report *r, const struct sonde_profile *p, const struct sonde_export_opts *opts,
		struct sonde_error *err)
{
	struct export *x = &r->export;
	int e;

	x->profile = p;
	x->err = err;
	e = export_take_opts(x, opts);
	x->out = &r->text;
	r->text = r->key = BUF_MEMORY;
	if (e == 0)
		e = export_cells(x);
	if (e == 0)
		e = export_event(x);
	if (e >= 0 && p->events.n == 0)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "there are no events");
	if (e >= 0)
		e = make_table(r, (uint32_t)e);
	if (e == 0 && x->report.hierarchy)
		e = hierarchy_new(&r->hierarchy, &r->table);
	r->tree_row = r->nodes_row = sonde_report_row_count(r);
	return e == -SONDE_NOMEM ? err_nomem(err) : e;
}

static int new_report(struct sonde_report **out, const struct sonde_profile *p, const struct sonde_export_opts *opts,
		      struct sonde_error *err)
{
	struct sonde_report *r = calloc(1, sizeof(*r));
	int e;

	err_clear(err);
	if (!r)
		return err_nomem(err);
	e = make(r, p, opts, err);
	if (e < 0)
		sonde_report_free(r);
	else
		*out = r;
	return e;
}

static int new_report_for(struct sonde_report **out, const struct sonde_profile *p,
			  const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, new_report(out, p, opts, &own));
}

struct sonde_report *sonde_report_new(const struct sonde_profile *p, const struct sonde_export_opts *opts,
				      struct sonde_error *err)
{
	struct sonde_report *r = NULL;

	new_report_for(&r, p, opts, err);
	if (r)
		r->export.err = NULL;    /* the call's, which is gone */
	return r;
}

void sonde_report_free(struct sonde_report *r)
{
	if (!r)
		return;
	hierarchy_free(r->hierarchy);
	report_table_free(&r->table);
	event_cells_free(&r->export.cells);
	buf_free(&r->text);
	buf_free(&r->key);
	hists_free(&r->tree);
	report_free_nodes(&r->nodes);
	free(r);
}

size_t sonde_report_row_count(const struct sonde_report *r)
{
	if (!r)
		return 0;
	return r->hierarchy ? hierarchy_count(r->hierarchy) : r->table.hists.list.n;
}

static const struct hist_entry *entry_of(const struct sonde_report *r, size_t i)
{
	return r->hierarchy ? hierarchy_at(r->hierarchy, i)->row : &r->table.hists.list.at[i];
}

/* Rows above the last level of a hierarchy have none. */
static bool can_have_tree(const struct sonde_report *r, size_t i)
{
	return i < sonde_report_row_count(r) && (!r->hierarchy || hierarchy_at(r->hierarchy, i)->last);
}

/* The text without the end of its line; NULL when out of memory. */
static const char *finish(struct buf *b)
{
	if (b->n && b->p[b->n - 1] == '\n')
		b->n--;
	buf_char(b, '\0');
	return b->failed ? NULL : b->p;
}

static void put_line(struct sonde_report *r, size_t i)
{
	const struct hierarchy_line *line = hierarchy_at(r->hierarchy, i);

	hierarchy_put_cells(&r->text, r->hierarchy, line);
	hierarchy_put_key(&r->key, r->hierarchy, line);
	r->row.level = line->level;
	r->row.has_rows = i + 1 < sonde_report_row_count(r) && hierarchy_at(r->hierarchy, i + 1)->level > line->level;
	r->row.level_key = hierarchy_key(r->hierarchy, line->level);
}

const struct sonde_report_row *sonde_report_row_at(struct sonde_report *r, size_t i)
{
	const struct hist_entry *h;

	if (i >= sonde_report_row_count(r))
		return NULL;
	h = entry_of(r, i);
	r->text.n = r->key.n = 0;
	profile_frame(r->export.profile, h->frame, &r->frame);
	r->row = (struct sonde_report_row){ .dso_name = r->frame.dso_name, .frame = h->frame, .task = h->task };
	if (r->hierarchy) {
		put_line(r, i);
	} else {
		report_put_row(&r->text, &r->table, h);
		report_put_key(&r->key, &r->table, h);
	}
	r->row.text = finish(&r->text);
	r->row.key = finish(&r->key);
	if (r->table.hists.total)
		r->row.percent = 100.0 * (double)h->children / (double)r->table.hists.total;
	return r->row.text && r->row.key ? &r->row : NULL;
}

/*
 * Makes @t the table in which the i-th row has its tree, and returns that row; NULL when out of memory. @t is a view.
 */
static const struct hist_entry *take_tree(struct sonde_report *r, size_t i, struct report_table *t)
{
	const struct hist_entry *row = entry_of(r, i);

	*t = r->table;
	if (!r->export.report.graph || !r->export.report.graph_later)
		return row;
	if (r->tree_row != i) {
		hists_free(&r->tree);
		r->tree_row = sonde_report_row_count(r);
		if (hists_make_tree(&r->tree, &r->table.hists, row, r->export.profile, &r->table.opts) < 0)
			return NULL;
		r->tree_row = i;
	}
	t->hists = r->tree;
	return t->hists.list.n ? &t->hists.list.at[0] : row;
}

const char *sonde_report_tree_at(struct sonde_report *r, size_t i)
{
	const struct hist_entry *row;
	struct report_table t;

	if (i >= sonde_report_row_count(r))
		return NULL;
	r->text.n = 0;
	if (!can_have_tree(r, i))
		return finish(&r->text);
	row = take_tree(r, i, &t);
	if (!row || report_put_chains(&r->text, &t, row) < 0)
		return NULL;
	return finish(&r->text);
}

size_t sonde_report_node_count(struct sonde_report *r, size_t i)
{
	const struct hist_entry *row;
	struct report_table t;

	if (!can_have_tree(r, i))
		return 0;
	if (r->nodes_row != i) {
		r->nodes_row = sonde_report_row_count(r);
		row = take_tree(r, i, &t);
		if (!row || report_list_nodes(&r->nodes, &t, row) < 0)
			return 0;
		r->nodes_row = i;
	}
	return r->nodes.list.n;
}

const struct sonde_report_node *sonde_report_node_at(struct sonde_report *r, size_t i, size_t k)
{
	const struct report_node *at;
	const struct call_node *n;
	struct report_table t;

	if (k >= sonde_report_node_count(r, i) || !take_tree(r, i, &t))
		return NULL;
	at = &r->nodes.list.at[k];
	n = &t.hists.tree.at[at->number];
	r->text.n = 0;
	report_put_node(&r->text, &t, at->number);
	r->node = (struct sonde_report_node){ .text = finish(&r->text), .period = n->value, .samples = n->samples,
					      .depth = at->depth, .frame = n->frame, .has_children = at->has_children };
	if (at->whole)
		r->node.percent = 100.0 * (double)n->value / (double)at->whole;
	return r->node.text ? &r->node : NULL;
}

const char *sonde_report_titles(struct sonde_report *r)
{
	r->text.n = 0;
	if (r->hierarchy)
		hierarchy_put_titles(&r->text, r->hierarchy);
	else
		report_put_row(&r->text, &r->table, NULL);
	return finish(&r->text);
}
