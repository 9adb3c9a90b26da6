/* SPDX-License-Identifier: MIT */
#include "cli/rows/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/screen/screen.h"

#define USUAL_LIMIT 0.5              /* of branches, as in reports */

void grid_lock(struct grid *t)
{
	if (t->lock)
		pthread_mutex_lock(t->lock);
}

void grid_unlock(struct grid *t)
{
	if (t->lock)
		pthread_mutex_unlock(t->lock);
}

void grid_begin(struct grid *t)
{
	t->first_sort = t->opts.sort ? t->opts.sort : "";
	snprintf(t->sort, sizeof(t->sort), "%s", t->first_sort);
	t->opts.no_header = true;
	t->opts.separator = '\t';    /* the screen pads */
	t->opts.colour = false;
	t->opts.graph_later = true;
	if (t->opts.graph_style != SONDE_GRAPH_FRACTAL)
		t->opts.graph_style = SONDE_GRAPH_TREE;
}

const struct sonde_profile_event *grid_event(const struct grid *t)
{
	return sonde_profile_event_at(t->profile, t->event);
}

static bool sorts_by(const struct grid *t, const char *word, const char *other)
{
	size_t n;

	for (const char *p = t->sort + (*t->sort == '+'); *p; p += n + (p[n] == ',')) {
		n = strcspn(p, ",");
		if ((strlen(word) == n && !strncmp(p, word, n)) || (strlen(other) == n && !strncmp(p, other, n)))
			return true;
	}
	return (*t->sort == '+' || !*t->sort) && strstr(GRID_USUAL_SORT, word);
}

bool grid_row_has(const struct grid *t, const struct row *row, const char *word, const char *other)
{
	if (!t->rows.levels)
		return sorts_by(t, word, other);
	/* a row with a lower level than all rows between has @row below it */
	for (const struct row *up = row; up >= t->rows.rows; up--)
		if (up == row || up->level < row->level) {
			if (!strcmp(up->level_key, word) || !strcmp(up->level_key, other))
				return true;
			row = up;
		}
	return false;
}

struct sonde_export_opts grid_opts(const struct grid *t)
{
	struct sonde_export_opts opts = t->opts;
	bool chains = sonde_profile_has_callchains(t->profile);

	opts.event_number = (uint32_t)t->event + 1;  /* two events can have one name */
	opts.sort = *t->sort ? t->sort : NULL;
	opts.children = opts.children && chains;
	opts.graph = t->trees && chains;
	opts.graph_later = !t->rows.all_open;
	zoom_apply(&t->zoom, &opts);
	return opts;
}

static int add_report(struct grid *t, const struct sonde_export_opts *opts, const char *label)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_report *report = sonde_report_new(t->profile, opts, &err);

	if (report)
		return rows_add(&t->rows, t->profile, report, label, *label);
	snprintf(t->notice, sizeof(t->notice), "%s", err.text);
	return err.code == SONDE_NOMEM ? -SONDE_NOMEM : 0;
}

/* One function: a row whose tree has its callers, and one with its callees. */
static int add_function(struct grid *t, struct sonde_export_opts *opts)
{
	static const struct { const char *whose; bool callee; } directions[] = {
		{ "callers", true }, { "callees", false },
	};
	const char *name = zoom_find(&t->zoom, ZOOM_FUNCTION)->text;
	int r = 0;

	opts->sort = "sym";
	opts->fields = NULL;
	opts->hierarchy = false;
	opts->children = true;
	opts->percent_limit = 0;
	for (size_t i = 0; i < 2 && r == 0; i++) {
		char *label;

		opts->callee = directions[i].callee;
		if (asprintf(&label, "%s of %s", directions[i].whose, name) < 0)
			return -SONDE_NOMEM;
		r = add_report(t, opts, label);
		free(label);
	}
	return r;
}

/* The lock is held. */
static int gather_rows(struct grid *t)
{
	struct sonde_export_opts opts = grid_opts(t);
	const struct sonde_profile_event *e = grid_event(t);
	int r = 0;

	rows_clear(&t->rows);
	t->rows.trees = opts.graph;
	t->rows.levels = opts.hierarchy && !zoom_find(&t->zoom, ZOOM_FUNCTION);
	t->rows.least = opts.graph_style == SONDE_GRAPH_FRACTAL || opts.graph_limit < 0 ? 0 :
			opts.graph_limit > 0					      ? opts.graph_limit : USUAL_LIMIT;
	if (!e || !e->samples)
		return 0;
	if (zoom_find(&t->zoom, ZOOM_FUNCTION))
		r = add_function(t, &opts);
	else
		r = add_report(t, &opts, "");
	return r < 0 ? r : rows_list(&t->rows);
}

static void take_lines(struct grid *t, int r, uint64_t selected)
{
	t->list.n = t->rows.nr_lines;
	t->list.selected = rows_find(&t->rows, selected, t->list.selected);
	list_settle(&t->list);
	if (r < 0)
		t->failed = r;
}

void grid_make(struct grid *t)
{
	/* the first row stays selected whatever it is */
	uint64_t selected = t->list.selected ? rows_number(&t->rows, t->list.selected) : 0;
	int r;

	grid_lock(t);
	r = t->lock ? sonde_profile_settle(t->profile) : 0;
	if (r == 0)
		r = gather_rows(t);
	if (t->lock)
		rows_drop_reports(&t->rows);
	grid_unlock(t);
	layout_measure(&t->layout, &t->rows);
	take_lines(t, r, selected);
}

void grid_relist(struct grid *t)
{
	uint64_t selected = rows_number(&t->rows, t->list.selected);

	if (t->lock)
		grid_make(t);       /* the nodes come from a report of now */
	else
		take_lines(t, rows_list(&t->rows), selected);
}

bool grid_ask(struct grid *t, const char *question, char *answer, size_t size)
{
	return screen_ask(question, answer, size, t->wake_fd);
}

const struct rows_line *grid_selected(const struct grid *t)
{
	return t->list.selected < t->rows.nr_lines ? &t->rows.lines[t->list.selected] : NULL;
}

bool grid_has_trees(struct grid *t)
{
	if (!t->rows.trees && t->trees)
		grid_tell(t, "there are no call chains: -g of record keeps them");
	else if (!t->rows.trees)
		grid_tell(t, "call trees are off: -g none");
	return t->rows.trees;
}

void grid_free(struct grid *t)
{
	rows_free(&t->rows);
	zoom_free(&t->zoom);
}
