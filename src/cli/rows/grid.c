/* SPDX-License-Identifier: MIT */
#include "cli/rows/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/rows/grid_draw.h"
#include "cli/screen/screen.h"
#include "cli/screen/stop.h"

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
	t->first_sort = t->report.sort ? t->report.sort : "";
	snprintf(t->sort, sizeof(t->sort), "%s", t->first_sort);
	t->report.no_header = true;
	t->report.separator = '\t';    /* the screen pads */
	t->report.colour = false;
	t->report.graph_later = true;
	if (t->report.graph_style != SONDE_GRAPH_FRACTAL)
		t->report.graph_style = SONDE_GRAPH_TREE;
}

const struct sonde_profile_event *grid_event(const struct grid *t)
{
	return sonde_profile_event_at(t->profile, t->event);
}

size_t grid_group_size(const struct grid *t, size_t event)
{
	const struct sonde_profile_event *e = sonde_profile_event_at(t->profile, event), *next;
	size_t n = 1;

	if (!e || t->opts.event || t->report.hierarchy || (!t->report.group && !t->report.group_all))
		return 1;
	while ((next = sonde_profile_event_at(t->profile, event + n)) &&
	       (t->report.group_all || next->leader == e->leader))
		n++;
	return n;
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

struct sonde_export_opts grid_opts(const struct grid *t, struct sonde_report_opts *report)
{
	struct sonde_export_opts opts = t->opts;
	bool chains = sonde_profile_has_callchains(t->profile);

	*report = t->report;
	opts.report = report;
	opts.event_number = (uint32_t)t->event + 1;  /* two events can have one name */
	report->sort = *t->sort ? t->sort : NULL;
	report->children = report->children && chains;
	report->graph = t->trees && chains;
	report->graph_later = !t->rows.all_open;
	zoom_apply(&t->zoom, &opts, report);
	return opts;
}

/* ---- long work ---- */

enum { LONG_WORK_MS = 100, PERCENT_OF_REPORT = 70 };

/* The CPU's time: on a busy machine short work must not take keys that were typed ahead. */
static uint64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Without rows of the same profile there is nothing to go back to. */
static bool can_go_back(const struct grid *t)
{
	return t->rows.profile == t->profile;
}

static int show_progress(struct grid *t, double share)
{
	const bool escape = !t->begun || can_go_back(t);
	char text[64];

	if (cpu_ms() - t->work_from_ms < LONG_WORK_MS)
		return t->stopped;
	if ((int)share != t->percent) {
		t->percent = (int)share;
		snprintf(text, sizeof(text), "making rows: %d%%%s", t->percent,
			 !t->begun ? "; Esc quits" : escape ? "; Esc stops" : "");
		screen_line(screen_rows() - 1, SCREEN_WARNING, text);
		screen_show();
	}
	if (stop_caught() || (escape && screen_escaped(t->wake_fd)))
		t->stopped = true;
	return t->stopped;
}

static int report_progress(void *ctx, double share)
{
	return show_progress(ctx, PERCENT_OF_REPORT * share);
}

static int rows_progress(void *ctx, double share)
{
	return show_progress(ctx, PERCENT_OF_REPORT + (100 - PERCENT_OF_REPORT) * share);
}

static void begin_work(struct grid *t)
{
	t->work_from_ms = cpu_ms();
	t->percent = -1;
}

/* ---- rows ---- */

static int add_report(struct grid *t, struct rows *rows, const struct sonde_export_opts *opts, const char *label)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_report *report = sonde_report_new(t->profile, opts, &err);

	if (report)
		return rows_add(rows, t->profile, report, label, *label);
	snprintf(t->notice, sizeof(t->notice), "%s", err.text);
	return err.code == SONDE_NOMEM || err.code == SONDE_STOPPED ? -(int)err.code : 0;
}

/* One function: a row whose tree has its callers, and one with its callees. */
static int add_function(struct grid *t, struct rows *rows, const struct sonde_export_opts *opts,
			struct sonde_report_opts *report)
{
	static const struct { const char *whose; bool callee; } directions[] = {
		{ "callers", true }, { "callees", false },
	};
	const char *name = zoom_find(&t->zoom, ZOOM_FUNCTION)->text;
	int r = 0;

	report->sort = "sym";
	report->fields = NULL;
	report->hierarchy = false;
	report->children = true;
	report->percent_limit = 0;
	for (size_t i = 0; i < 2 && r == 0; i++) {
		char *label;

		report->callee = directions[i].callee;
		if (asprintf(&label, "%s of %s", directions[i].whose, name) < 0)
			return -SONDE_NOMEM;
		r = add_report(t, rows, opts, label);
		free(label);
	}
	return r;
}

/* The lock is held. */
static int gather_rows(struct grid *t, struct rows *rows)
{
	struct sonde_report_opts report;
	const struct sonde_export_opts opts = grid_opts(t, &report);
	const struct sonde_profile_event *e = grid_event(t);
	int r = 0;

	if (!t->lock) {
		report.progress = report_progress;
		report.progress_ctx = t;
	}
	rows->trees = report.graph;
	rows->levels = report.hierarchy && !zoom_find(&t->zoom, ZOOM_FUNCTION);
	rows->least = report.graph_style == SONDE_GRAPH_FRACTAL || report.graph_limit < 0 ? 0 :
			report.graph_limit > 0 ? report.graph_limit : USUAL_LIMIT;
	if (!e || !e->samples)
		return 0;
	if (zoom_find(&t->zoom, ZOOM_FUNCTION))
		r = add_function(t, rows, &opts, &report);
	else
		r = add_report(t, rows, &opts, "");
	return r < 0 ? r : rows_list(rows);
}

static void take_lines(struct grid *t, int r, uint64_t selected)
{
	t->list.n = t->rows.nr_lines;
	t->list.selected = rows_find(&t->rows, selected, t->list.selected);
	list_settle(&t->list);
	if (r < 0 && r != -SONDE_STOPPED)
		t->failed = r;
}

void grid_make(struct grid *t)
{
	/* the first row stays selected whatever it is */
	uint64_t selected = t->list.selected ? rows_number(&t->rows, t->list.selected) : 0;
	struct rows rows = { .folds = t->rows.folds, .all_open = t->rows.all_open };  /* a view */
	int r;

	if (!t->lock) {
		rows.progress = rows_progress;
		rows.progress_ctx = t;
		rows.stopped = &t->stopped;
	}
	begin_work(t);
	grid_lock(t);
	r = t->lock ? sonde_profile_settle(t->profile) : 0;
	if (r == 0)
		r = gather_rows(t, &rows);
	if (t->lock)
		rows_drop_reports(&rows);
	grid_unlock(t);
	if (r == -SONDE_STOPPED) {
		rows.folds = (struct folds){ 0 };
		rows_free(&rows);
		t->quit |= !t->begun;
		return;
	}
	t->begun = true;
	rows_replace(&t->rows, &rows);
	layout_measure(&t->layout, &t->rows);
	take_lines(t, r, selected);
}

void grid_relist(struct grid *t)
{
	uint64_t selected = rows_number(&t->rows, t->list.selected);

	if (t->lock) {
		grid_make(t);       /* the nodes come from a report of now */
		return;
	}
	begin_work(t);
	take_lines(t, rows_list(&t->rows), selected);
}

/* ---- back to what was shown before ---- */

int grid_remember(const struct grid *t, struct grid_state *s)
{
	*s = (struct grid_state){ .report = t->report, .list = t->list, .event = t->event,
				   .all_open = t->rows.all_open };
	memcpy(s->sort, t->sort, sizeof(s->sort));
	return zoom_copy(&s->zoom, &t->zoom) < 0 ? -SONDE_NOMEM : folds_copy(&s->folds, &t->rows.folds);
}

void grid_return(struct grid *t, struct grid_state *s)
{
	const int percent = t->percent;

	t->stopped = false;
	zoom_free(&t->zoom);
	folds_free(&t->rows.folds);
	t->report = s->report;
	memcpy(t->sort, s->sort, sizeof(t->sort));
	t->zoom = s->zoom;
	t->event = s->event;
	t->rows.folds = s->folds;
	t->rows.all_open = s->all_open;
	s->zoom = (struct zoom){ 0 };
	s->folds = (struct folds){ 0 };
	t->rows.progress = NULL;     /* its trees are there: this is no work */
	grid_relist(t);
	t->rows.progress = rows_progress;
	t->list = s->list;
	grid_tell(t, "stopped at %d%%: these are the rows from before", percent);
}

void grid_forget(struct grid_state *s)
{
	zoom_free(&s->zoom);
	folds_free(&s->folds);
}

static void redraw(void *ctx)
{
	grid_draw(ctx);
}

bool grid_ask(struct grid *t, const char *question, char *answer, size_t size)
{
	return screen_ask(question, answer, size, t->wake_fd, redraw, t);
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
